// The live page as it changes: figures, bars and histories in place. Without it the
// page is as it was loaded.

const $ = (selector, root = document) => root.querySelector(selector);
const $$ = (selector, root = document) => [...root.querySelectorAll(selector)];

const status = $("[data-live]");
const slots = 100;
const height = 20;
let source = null;
let paused = false;
let broken = false;
let read = 0; // when the readings were taken, by our clock

const rows = new Map($$("[data-device]").map((row) => [row.dataset.device, row]));

// A spark is the history of a cell: a mean for each slot, null for a gap.
class Spark {
  constructor(svg) {
    this.path = $("path", svg);
    this.most = Number(svg.dataset.most);
    this.step = Number(svg.dataset.step) * 1000;
    this.means = new Array(slots).fill(null);
    for (const [, x, y] of (this.path.getAttribute("d") || "").matchAll(/[ML](\d+) ([\d.]+)/g)) {
      this.means[Number(x)] = (1 - Number(y) / height) * this.most;
    }
    this.sum = this.count = 0;
    this.since = Date.now();
    this.last = null;
  }
  // tick takes the value of now, which holds until there is another.
  tick(now) {
    if (this.last !== null) {
      this.sum += this.last;
      this.count++;
    }
    if (now - this.since < this.step) return;
    const missed = Math.min(slots, Math.floor((now - this.since) / this.step));
    this.since += missed * this.step;
    if (now - this.since > this.step) this.since = now;
    for (let i = 1; i < missed; i++) this.push(null);
    this.push(this.count ? this.sum / this.count : null);
    this.sum = this.count = 0;
    this.path.setAttribute("d", this.drawn());
  }
  push(mean) {
    this.means.shift();
    this.means.push(mean);
  }
  drawn() {
    let d = "";
    this.means.forEach((mean, x) => {
      if (mean === null) return;
      const y = Math.round(height * (1 - Math.min(1, Math.max(0, mean / this.most))) * 10) / 10;
      const first = x === 0 || this.means[x - 1] === null;
      d += first ? `M${x} ${y}L${x} ${y}` : `L${x} ${y}`;
    });
    return d;
  }
}

const sparks = new Map($$(".spark").map((svg) => [svg.closest("[data-cell]"), new Spark(svg)]));

function setText(node, text) {
  if (node && node.textContent !== text) node.textContent = text;
}

function listed(parent, tag, items, fill) {
  while (parent.children.length > items.length) parent.lastElementChild.remove();
  while (parent.children.length < items.length) parent.append(document.createElement(tag));
  items.forEach((item, i) => fill(parent.children[i], item));
}

function showCell(cell, words) {
  const text = $("[data-text]", cell);
  if (!text) return; // it had no reading when the page was made
  setText(text, words.text || "—");
  cell.classList.toggle("old", Boolean(words.old));
  const bar = $("[data-bar]", cell);
  if (bar) bar.setAttribute("width", ((words.share ?? 0) * 100).toFixed(1));
  listed($("[data-notes]", cell), "small", words.notes ?? [], setText);
  const spark = sparks.get(cell);
  if (spark) spark.last = words.value ?? null;
}

function showDevice(device) {
  const row = rows.get(device.uuid);
  if (!row) return;
  for (const cell of $$("[data-cell]", row)) {
    const words = device.cells[cell.dataset.cell];
    if (words) showCell(cell, words);
  }
  listed($("[data-live-badges]", row), "li", device.badges, (item, [tone, text]) => {
    item.className = "word " + tone;
    setText(item, text);
  });
}

function showState(data) {
  const state = $("[data-live-state]");
  state.className = "livestate " + data.state;
  setText(state, data.text);
  const reason = $("[data-live-reason]");
  const said = [data.reason, data.detail].filter(Boolean).join(" ");
  if (reason.dataset.said === said) return;
  reason.dataset.said = said;
  reason.replaceChildren();
  if (!said) return;
  const p = document.createElement("p");
  p.className = "problem";
  p.textContent = said;
  reason.append(p);
}

function show(event) {
  const data = JSON.parse(event.data);
  broken = false;
  read = Date.now() - data.age_s * 1000;
  showState(data);
  for (const host of data.hosts) host.devices.forEach(showDevice);
  const now = Date.now();
  for (const spark of sparks.values()) {
    if (data.state !== "ok") spark.last = null;
    spark.tick(now);
  }
  showAge();
}

function showAge() {
  const time = $("[data-live-time]");
  if (!time || !read) return;
  const words = status.dataset.ago.replace("{}", Math.max(0, Math.round((Date.now() - read) / 1000)));
  setText(time, [words, paused ? status.dataset.paused : "", broken ? status.dataset.broken : ""].filter(Boolean).join(" "));
}

function open() {
  if (source || paused || document.hidden) return;
  source = new EventSource(status.dataset.live);
  source.addEventListener("live", show);
  source.onerror = () => { broken = true; };
}

function close() {
  source?.close();
  source = null;
}

function start() {
  const button = $("[data-live-pause]");
  const words = [button.textContent, button.dataset.resume];
  button.addEventListener("click", () => {
    paused = !paused;
    setText(button, words[Number(paused)]);
    if (paused) close();
    else open();
    showAge();
  });
  document.addEventListener("visibilitychange", () => (document.hidden ? close() : open()));
  addEventListener("pagehide", close);
  addEventListener("pageshow", open);
  const taken = $("[data-live-time]");
  if (taken) read = Date.parse(taken.dateTime);
  setInterval(showAge, 1000);
  open();
}

if (status?.dataset.live) start();
