// The live page as it changes: figures, bars and histories in place, so that focus,
// order and selection stay. Without it the page is as it was loaded.

const $ = (selector, root = document) => root.querySelector(selector);
const $$ = (selector, root = document) => [...root.querySelectorAll(selector)];

const status = $("[data-live]");
const height = 20;
const bridged = 3; // slots from one mean to the next that a line goes over
const retry = 3000; // after an answer that is no stream, which a browser does not ask for again
let source = null;
let later = 0;
let paused = false;
let broken = false;
let read = 0; // when the readings were taken, by our clock
let state = null; // what the stream said last: class and words

// A device is a tile, a row of the heat strip and a row of the table.
const rows = new Map();
for (const node of $$("[data-device], [data-tile], [data-strip]")) {
  const { device, tile, strip } = node.dataset;
  const uuid = device ?? tile ?? strip;
  rows.set(uuid, [...(rows.get(uuid) ?? []), node]);
}
const held = new Map(); // nodes with selected text, and what is to be shown there

// A History is drawn from means by slot, in percent of the most; null for a gap.
class History {
  constructor(svg) {
    this.svg = svg;
    this.paths = $$("path", svg);
    this.most = Number(svg.dataset.most);
    this.step = Number(svg.dataset.step) * 1000;
    this.means = svg.dataset.means.split(",").map((mean) => (mean === "" ? null : Number(mean)));
    this.sum = this.count = 0;
    this.since = Date.now();
    this.last = null;
  }
  // tick takes the value of now, which holds until there is another.
  tick(now) {
    if (this.last !== null) {
      this.sum += Math.min(100, Math.max(0, (this.last / this.most) * 100));
      this.count++;
    }
    if (now - this.since < this.step) return;
    const missed = Math.min(this.means.length, Math.floor((now - this.since) / this.step));
    this.since += missed * this.step;
    const mean = this.count ? this.sum / this.count : null;
    for (let i = 0; i < missed; i++) this.means.push(i < missed - 1 ? null : mean);
    this.means.splice(0, missed);
    this.sum = this.count = 0;
    if (this.paths.length > 1) this.strip();
    else this.paths[0].setAttribute("d", this.line());
  }
  // line holds a mean for its slot, so that one between two gaps is a line too. It goes
  // over short gaps.
  line() {
    let d = "";
    let last = -1 - bridged;
    this.means.forEach((mean, x) => {
      if (mean === null) return;
      const y = Math.round((height * (100 - mean)) / 10) / 10;
      if (x - last <= bridged) d += `L${x} ${y}`;
      else d += `${d && `H${last + 1}`}M${x} ${y}`;
      last = x;
    });
    return d && `${d}H${last + 1}`;
  }
  strip() {
    const levels = this.paths.map(() => "");
    let sum = 0;
    let count = 0;
    this.means.forEach((mean, x) => {
      if (mean === null) return;
      levels[Math.min(levels.length - 1, Math.floor((mean * levels.length) / 100))] += `M${x} 0h.92v1h-.92z`;
      sum += mean;
      count++;
    });
    this.paths.forEach((path, i) => path.setAttribute("d", levels[i]));
    if (count) setText($("[data-mean]", this.svg.parentElement), percent(sum / count));
  }
}

const percent = (share) => new Intl.NumberFormat(document.documentElement.lang, { style: "percent" }).format(Math.round(share) / 100);
const histories = $$("[data-spark]").map((svg) => new History(svg));

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
  setText(text, words.text || (text.dataset.none ?? "—"));
  text.classList.toggle("none", !words.text);
  if (words.text) text.removeAttribute("title");
  cell.classList.toggle("old", Boolean(words.old));
  $("[data-bar]", cell)?.setAttribute("width", ((words.share ?? 0) * 100).toFixed(1));
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
  const badges = $("[data-live-badges]", row);
  if (!device.badges || !badges) return;
  listed(badges, "li", device.badges, (item, [tone, text]) => {
    item.className = "word " + tone;
    setText(item, text);
  });
}

function selected(row) {
  const selection = getSelection();
  return !selection.isCollapsed && selection.containsNode(row, true);
}

function take(device) {
  for (const row of rows.get(device.uuid) ?? []) {
    for (const history of histories) {
      const words = row.contains(history.svg) && device.cells?.[history.svg.dataset.spark];
      if (words) history.last = words.value ?? null;
    }
    if (selected(row)) held.set(row, merge(held.get(row), device));
    else showDevice(row, device);
  }
}

// release shows what was held back, where nothing is selected any more.
function release() {
  for (const [row, device] of held) {
    if (selected(row)) continue;
    held.delete(row);
    showDevice(row, device);
  }
}

// showFleet shows the sums. The title changes at each reading; what is announced does
// only when devices begin or end.
function showFleet(fleet) {
  setText($("[data-live-title]"), fleet.title);
  setText($("[data-live-said]"), fleet.said);
  for (const figure of $$("[data-fleet]")) showCell(figure, fleet.figures[figure.dataset.fleet] ?? {});
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
  if (data.fleet) showFleet(data.fleet);
  for (const host of data.hosts) host.devices.forEach(take);
  if (data.state !== "ok") forget();
  tick();
}

// tick goes on without events: they come only when something changes.
function tick() {
  const now = Date.now();
  if (source) for (const history of histories) history.tick(now);
  showAge();
}

// forget makes a gap of what follows.
function forget() {
  for (const history of histories) history.last = null;
}

function showAge() {
  const time = $("[data-live-time]");
  if (!time || !read) return;
  setText(time, status.dataset.ago.replace("{}", Math.max(0, Math.round((Date.now() - read) / 1000))));
}

function lost() {
  broken = true;
  forget();
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
  forget();
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
  setInterval(tick, 1000);
  open();
}

if (status?.dataset.live) start();
