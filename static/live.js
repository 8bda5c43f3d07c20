// The live page as it changes: figures, bars and histories in place, so that focus,
// order and selection stay. Without it the page is as it was loaded.

const $ = (selector, root = document) => root.querySelector(selector);
const $$ = (selector, root = document) => [...root.querySelectorAll(selector)];

const status = $("[data-live]");
const slots = 100;
const height = 20;
const retry = 3000; // after an answer that is no stream, which a browser does not ask for again
let source = null;
let later = 0;
let paused = false;
let broken = false;
let read = 0; // when the readings were taken, by our clock
let state = null; // what the stream said last: class and words

const rows = new Map($$("[data-device]").map((row) => [row.dataset.device, row]));
const held = new Map(); // devices whose row has selected text, and what is to be shown

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
  setText(text, words.text || "—");
  if (words.text) text.removeAttribute("title");
  cell.classList.toggle("old", Boolean(words.old));
  $("[data-bar]", cell).setAttribute("width", ((words.share ?? 0) * 100).toFixed(1));
  listed($("[data-notes]", cell), "small", words.notes ?? [], setText);
}

// merge adds what has changed of a device to what is held back of it.
function merge(older, newer) {
  return { badges: newer.badges ?? older?.badges, cells: { ...older?.cells, ...newer.cells } };
}

function showDevice(row, device) {
  for (const [column, words] of Object.entries(device.cells ?? {})) {
    const cell = $(`[data-cell="${column}"]`, row);
    if (cell) showCell(cell, words);
  }
  if (!device.badges) return;
  listed($("[data-live-badges]", row), "li", device.badges, (item, [tone, text]) => {
    item.className = "word " + tone;
    setText(item, text);
  });
}

function selected(row) {
  const selection = getSelection();
  return !selection.isCollapsed && selection.containsNode(row, true);
}

function take(device) {
  const row = rows.get(device.uuid);
  if (!row) return;
  for (const [column, words] of Object.entries(device.cells ?? {})) {
    const spark = sparks.get($(`[data-cell="${column}"]`, row));
    if (spark) spark.last = words.value ?? null;
  }
  if (selected(row)) held.set(device.uuid, merge(held.get(device.uuid), device));
  else showDevice(row, device);
}

// release shows what was held back, where nothing is selected any more.
function release() {
  for (const [uuid, device] of held) {
    const row = rows.get(uuid);
    if (selected(row)) continue;
    held.delete(uuid);
    showDevice(row, device);
  }
}

// code marks what is between backticks.
function code(text) {
  return text.split("`").map((part, i) => {
    if (i % 2 === 0) return part;
    const node = document.createElement("code");
    node.textContent = part;
    return node;
  });
}

function paragraph(name, ...parts) {
  const p = document.createElement("p");
  p.className = name;
  p.append(...parts);
  return p;
}

function showReason(data) {
  const reason = $("[data-live-reason]");
  const said = [data.reason ?? "", data.detail ?? "", data.todo ?? ""].join("\n");
  if (reason.dataset.said === said) return;
  reason.dataset.said = said;
  reason.replaceChildren();
  if (!data.reason) return;
  const p = paragraph("problem", data.reason);
  if (data.detail) {
    const detail = document.createElement("code");
    detail.lang = "en";
    detail.textContent = data.detail;
    p.append(" ", detail);
  }
  reason.append(p);
  if (data.todo) reason.append(paragraph("note", ...code(data.todo)));
}

// showState says how far the page may be trusted: what the stream said last, unless
// there is none.
function showState() {
  const node = $("[data-live-state]");
  const [name, text] = paused ? ["paused", status.dataset.paused] : broken ? ["broken", status.dataset.broken] : state ?? [];
  if (!name) return;
  node.className = "livestate " + name;
  setText(node, text);
}

// showChange says that the page lacks something, or has what is no more. A page that
// shows no device has nothing to lose and is loaded again.
function showChange(shape) {
  const changed = shape !== status.dataset.shape;
  if (changed && rows.size === 0) {
    location.reload();
    return;
  }
  const node = $("[data-live-changed]");
  if (changed) setText($("span", node), $("a", node).dataset.text);
  node.hidden = !changed;
}

function show(event) {
  const data = JSON.parse(event.data);
  broken = false;
  read = Date.now() - data.age_s * 1000;
  state = [data.state, data.text];
  showState();
  showReason(data);
  showChange(data.shape);
  for (const host of data.hosts) host.devices.forEach(take);
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
  setText(time, status.dataset.ago.replace("{}", Math.max(0, Math.round((Date.now() - read) / 1000))));
}

function lost() {
  broken = true;
  showState();
  if (source?.readyState !== EventSource.CLOSED) return; // the browser connects again
  close();
  later = setTimeout(open, retry);
}

function open() {
  if (source || paused || document.hidden) return;
  clearTimeout(later);
  source = new EventSource(status.dataset.live);
  source.addEventListener("live", show);
  source.onerror = lost;
}

function close() {
  clearTimeout(later);
  source?.close();
  source = null;
}

function start() {
  const button = $("[data-live-pause]");
  const words = [button.textContent, button.dataset.resume];
  const node = $("[data-live-state]");
  state = [node.className.replace("livestate ", ""), node.textContent];
  button.addEventListener("click", () => {
    paused = !paused;
    setText(button, words[Number(paused)]);
    if (paused) close();
    else open();
    showState();
  });
  document.addEventListener("visibilitychange", () => (document.hidden ? close() : open()));
  document.addEventListener("selectionchange", release);
  addEventListener("pagehide", close);
  addEventListener("pageshow", open);
  const taken = $("[data-live-time]");
  if (taken) read = Date.parse(taken.dateTime);
  setInterval(showAge, 1000);
  open();
}

if (status?.dataset.live) start();
