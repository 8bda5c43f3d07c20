// What pages can do beyond reading: shortcuts, copying, remembered columns and
// theme, a live count of selected cards. Every page works without it.

const $ = (selector, root = document) => root.querySelector(selector);
const $$ = (selector, root = document) => [...root.querySelectorAll(selector)];

// memory is localStorage that may be switched off.
const memory = {
  get(key) {
    try { return localStorage.getItem("tianti." + key); } catch { return null; }
  },
  set(key, value) {
    try {
      if (value === null) localStorage.removeItem("tianti." + key);
      else localStorage.setItem("tianti." + key, value);
    } catch { /* nothing is remembered */ }
  },
};

let toastTimer;
function say(text) {
  const toast = $("#toast");
  toast.textContent = text;
  toast.classList.add("on");
  clearTimeout(toastTimer);
  toastTimer = setTimeout(() => toast.classList.remove("on"), 4000);
}

// Theme

function dark() {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

function toggleTheme() {
  const theme = dark() ? "light" : "dark";
  document.documentElement.dataset.theme = theme;
  memory.set("theme", theme);
}

// Columns: what the reader chose last applies wherever the address has no
// columns of its own.

function recallColumns(chooser) {
  const url = new URL(location.href);
  const kept = memory.get("fields");
  if (!kept || url.searchParams.has("fields")) return;
  const boxes = $$("input[name=fields]", chooser);
  const shown = boxes.filter((box) => box.checked).map((box) => box.value);
  const wanted = boxes.map((box) => box.value).filter((id) => kept.split(",").includes(id));
  if (!wanted.length || wanted.join() === shown.join()) return;
  for (const id of wanted) url.searchParams.append("fields", id);
  location.replace(url);
}

function rememberColumns(chooser) {
  chooser.addEventListener("submit", () => {
    const ids = $$("input[name=fields]:checked", chooser).map((box) => box.value);
    memory.set("fields", ids.length ? ids.join(",") : null);
  });
  const reset = $("[data-reset-columns]", chooser);
  if (reset) reset.addEventListener("click", () => memory.set("fields", null));
}

// Copying

async function textAt(href) {
  const answer = await fetch(href, { headers: { Accept: "text/markdown, text/csv, text/plain" } });
  if (!answer.ok) throw new Error(answer.status);
  return answer.text();
}

// cellText is what a reader sees in a cell, in one line, without marks that
// are hidden from screen readers, warnings and the spaces between thousands.
function cellText(cell) {
  const copy = cell.cloneNode(true);
  for (const hidden of $$("[aria-hidden], input, .old small", copy)) hidden.remove();
  for (const small of $$("small", copy)) small.before(" ");
  return copy.textContent.replace(/\u202f/g, "").replace(/\s+/g, " ").trim();
}

function tableAsTSV(table) {
  return [...table.rows]
    .map((row) => [...row.cells].slice(1).map(cellText).join("\t"))
    .join("\n");
}

async function copy(button) {
  try {
    const { copy: href, copyTable } = button.dataset;
    const text = copyTable ? tableAsTSV(document.getElementById(copyTable)) : await textAt(href);
    await navigator.clipboard.writeText(text);
    say(button.dataset.done);
  } catch {
    say(button.dataset.failed);
  }
}

// A field to copy from; a server that does not know its own name leaves that out.
for (const field of $$("[data-share]")) field.value = field.value.replace(/(^|")\//g, `$1${location.origin}/`);

async function copyField(button) {
  const field = document.getElementById(button.dataset.copyField);
  field.select();
  try {
    await navigator.clipboard.writeText(field.value);
    say(button.dataset.done);
  } catch {
    say(button.dataset.failed);
  }
}

// Selection for a comparison

const most = 8;

function selection(form) {
  return $$("tbody input:checked", form).length;
}

function showSelection(form) {
  const output = $("output", form);
  const n = selection(form);
  form.classList.toggle("some", n > 0);
  output.value = n > most ? output.dataset.toomany : n + " " + output.dataset.selected;
}

// Rows

function rowLinks() {
  return $$("#cards tbody th a, .list a");
}

function step(by) {
  const links = rowLinks();
  const at = links.indexOf(document.activeElement);
  const next = links[at < 0 ? 0 : Math.min(Math.max(at + by, 0), links.length - 1)];
  if (next) next.focus();
}

function toggleRow() {
  const row = document.activeElement.closest("tbody tr");
  const box = row && $("input[name=card]", row);
  if (box) box.click();
}

function compareSelected() {
  const form = $("[data-select]");
  if (form && selection(form)) form.requestSubmit();
}

// Shortcuts

const shortcuts = {
  "/": () => { const field = $("input[type=search]"); if (field) { field.focus(); field.select(); } },
  j: () => step(1),
  k: () => step(-1),
  x: toggleRow,
  c: compareSelected,
  "?": () => { const help = $("#keys"); if (help.togglePopover) help.togglePopover(); },
};

function typing(element) {
  return element.isContentEditable || element.matches("textarea, select, input:not([type=checkbox])");
}

function onKey(event) {
  if (event.key === "Escape") closeDrops(null);
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  if (memory.get("keys") === "off" || typing(event.target)) return;
  const act = shortcuts[event.key];
  if (!act) return;
  event.preventDefault();
  act();
}

// closeDrops closes the open menus, but for the one that holds an element; the
// focus stays with the menu that it was in.
function closeDrops(except) {
  for (const drop of $$("details.drop[open]")) {
    if (except && drop.contains(except)) continue;
    const held = drop.contains(document.activeElement);
    drop.open = false;
    if (held && !except) $("summary", drop).focus();
  }
}

// A form sends only the fields that say something, so that addresses stay short.
function sendBriefly(form) {
  form.addEventListener("submit", () => {
    for (const field of $$("input, select", form)) {
      if (field.value === "") field.disabled = field.dataset.left = true;
    }
  });
}

// The slider of days fills the date of the form; nothing is asked until it is sent.

function slide(range) {
  const days = range.dataset.days.split(",");
  const date = $("form.exportform input[name=as_of]");
  range.addEventListener("input", () => {
    const day = days[range.value];
    $("output", range.parentElement).textContent = day;
    range.setAttribute("aria-valuetext", day);
    date.value = day;
  });
}

// Beside a field such as "24..80" stand two sliders, for its ends, made when the fields are first shown. The
// placeholder says between which values the cards lie; spans of many decades are in steps of equal ratio.

function sliders(field) {
  const [least, most] = field.placeholder.split("..").map(Number), steps = 100;
  if (!(most > least) || field.nextElementSibling?.className === "pair") return;
  const ratio = least > 0 && most / least > 50;
  const value = (i) => Number((ratio ? least * (most / least) ** (i / steps) : least + ((most - least) * i) / steps).toPrecision(ratio ? 2 : 4));
  const step = (v) => Math.round(steps * (ratio ? Math.log(v / least) / Math.log(most / least) : (v - least) / (most - least)));
  const pair = document.createElement("div");
  pair.className = "pair";
  const ends = ["≥", "≤"].map((sign) => {
    const end = pair.appendChild(Object.assign(document.createElement("input"), { type: "range", max: steps }));
    end.setAttribute("aria-label", field.labels[0].innerText + " " + sign);
    return end;
  });
  const say = () => ends.forEach((end, i) => end.setAttribute("aria-valuetext", [0, steps][i] == end.value ? [least, most][i] : value(end.value)));
  const place = () => {
    const [from, to] = field.value.includes("..") ? field.value.split("..") : [];
    ends[0].value = Number(from) ? step(Number(from)) : 0;
    ends[1].value = Number(to) ? step(Number(to)) : steps;
    say();
  };
  pair.addEventListener("input", ({ target }) => {
    const other = ends[1 - ends.indexOf(target)];
    if (Number(ends[0].value) > Number(ends[1].value)) other.value = target.value;
    const [from, to] = ends.map((end) => Number(end.value));
    field.value = from === 0 && to === steps ? "" : (from ? value(from) : "") + ".." + (to < steps ? value(to) : "");
    say();
  });
  field.addEventListener("input", place);
  place();
  field.after(pair);
}

document.addEventListener("toggle", ({ target }) => {
  if (target.open) for (const field of $$(".range > input[type=text]", target)) sliders(field);
}, true);

addEventListener("pageshow", () => {
  for (const field of $$("form [data-left]")) { field.disabled = false; delete field.dataset.left; }
  const form = $("[data-select]");
  if (form) showSelection(form);
});

document.addEventListener("keydown", onKey);
document.addEventListener("click", (event) => {
  closeDrops(event.target);
  const button = event.target.closest("button");
  if (!button) return;
  if ("themeToggle" in button.dataset) toggleTheme();
  if (button.dataset.copy || button.dataset.copyTable) copy(button);
  if (button.dataset.copyField) copyField(button);
});

const chooser = $("[data-columns]");
if (chooser) {
  recallColumns(chooser);
  rememberColumns(chooser);
}
for (const range of $$("[data-days]")) slide(range);
for (const form of $$("[data-filters]")) sendBriefly(form);
for (const form of $$("[data-select]")) form.addEventListener("change", () => showSelection(form));

const keysOn = $("#keys-on");
keysOn.checked = memory.get("keys") !== "off";
keysOn.addEventListener("change", () => memory.set("keys", keysOn.checked ? null : "off"));
