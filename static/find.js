// The list below a field that searches for cards, and the cards that are chosen
// for a comparison, kept in the browser from page to page.

const $ = (selector, root = document) => root.querySelector(selector);
const $$ = (selector, root = document) => [...root.querySelectorAll(selector)];
const zh = document.documentElement.lang.startsWith("zh");

// Type-ahead: [data-find] is a form or a label with a field. With data-go a choice
// opens the card, else it fills the field and, with data-send, sends the form.

let fields = 0;
function typeAhead(box) {
  const input = $("input[type=search], input[type=text]", box);
  const list = document.createElement("ul");
  list.id = "found" + fields++;
  list.className = "found";
  list.role = "listbox";
  list.hidden = true;
  list.setAttribute("aria-label", input.getAttribute("aria-label") || input.name);
  box.append(list);
  const set = (name, value) => input.setAttribute(name, value);
  set("role", "combobox");
  set("aria-autocomplete", "list");
  set("aria-controls", list.id);
  set("aria-expanded", "false");
  let asked = 0, timer, at = -1;

  const options = () => $$("[role=option]", list);
  function close() {
    list.hidden = true;
    at = -1;
    set("aria-expanded", "false");
    input.removeAttribute("aria-activedescendant");
  }
  // What is typed after the last comma, where several cards are asked for.
  const cut = () => ("many" in box.dataset ? input.value.search(/[^,，、;；]*$/) : 0);
  async function ask() {
    const text = input.value.slice(cut()).trim(), mine = ++asked;
    if (!text) return close();
    try {
      const answer = await fetch((zh ? "/zh" : "") + "/search/suggest?" + new URLSearchParams("go" in box.dataset ? { q: text, go: 1 } : { q: text }));
      if (!answer.ok || mine !== asked) return;
      list.innerHTML = await answer.text();
    } catch { return close(); }
    list.hidden = !list.children.length;
    at = -1;
    set("aria-expanded", String(!list.hidden));
  }
  function mark(to) {
    const all = options();
    if (!all.length) return;
    at = (to + all.length) % all.length;
    all.forEach((o, i) => o.setAttribute("aria-selected", String(i === at)));
    all[at].id = list.id + "-" + at;
    set("aria-activedescendant", all[at].id);
    all[at].scrollIntoView({ block: "nearest" });
  }
  function choose(option) {
    if ("go" in box.dataset) return location.assign(option.dataset.href);
    input.value = input.value.slice(0, cut()) + option.dataset.name;
    close();
    if ("send" in box.dataset) input.form.requestSubmit();
  }
  input.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(ask, 120); });
  input.addEventListener("focus", () => { if (input.value && list.children.length) list.hidden = false; });
  input.addEventListener("blur", () => setTimeout(close, 150));
  input.addEventListener("keydown", (event) => {
    if (event.isComposing) return;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      if (list.hidden) ask();
      else mark(at < 0 && event.key === "ArrowUp" ? -1 : at + (event.key === "ArrowDown" ? 1 : -1));
    } else if (event.key === "Enter" && at >= 0 && !list.hidden) {
      event.preventDefault();
      choose(options()[at]);
    } else if (event.key === "Escape" && !list.hidden) {
      event.preventDefault();
      event.stopPropagation();
      close();
    }
  });
  list.addEventListener("mousedown", (event) => {
    const option = event.target.closest("[role=option]");
    event.preventDefault();
    if (option) choose(option);
  });
}
for (const box of $$("[data-find]")) typeAhead(box);

// Tray

const most = 8, tray = $("#tray");
let kept = [];
try { kept = JSON.parse(localStorage.getItem("tianti.tray")) || []; } catch { /* nothing is kept */ }
if (!Array.isArray(kept)) kept = [];
kept = kept.filter((c) => c && /^[a-z0-9-]+$/.test(c.id) && typeof c.name === "string").slice(0, most);

function keep() {
  try { localStorage.setItem("tianti.tray", JSON.stringify(kept)); } catch { /* for this page only */ }
  show();
}
const has = (id) => kept.some((c) => c.id === id);
function put(id, name) {
  if (has(id)) return true;
  if (kept.length === most) {
    $("#toast").textContent = tray.dataset.full;
    $("#toast").classList.add("on");
    setTimeout(() => $("#toast").classList.remove("on"), 4000);
    return false;
  }
  kept.push({ id, name });
  keep();
  return true;
}
function drop(id) {
  kept = kept.filter((c) => c.id !== id);
  keep();
}

function show() {
  $("ul", tray).replaceChildren(...kept.map((c) => {
    const item = document.createElement("li");
    const button = document.createElement("button");
    item.textContent = c.name;
    button.type = "button";
    button.textContent = "✕";
    button.setAttribute("aria-label", tray.dataset.remove + " " + c.name);
    button.onclick = () => drop(c.id);
    item.append(button);
    return item;
  }));
  $("a", tray).href = tray.dataset.path + "?" + kept.map((c) => "card=" + c.id).join("&");
  tray.hidden = !kept.length || !!$("#compare");
  document.documentElement.classList.toggle("chosen", !tray.hidden);
  for (const link of $$("[data-add]")) {
    link.role = "button";
    link.setAttribute("aria-pressed", String(has(link.dataset.add)));
  }
  for (const box of $$("#cards tbody input[name=card]")) box.checked = has(box.value);
}

document.addEventListener("click", (event) => {
  const link = event.target.closest("[data-add]");
  if (!link || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  if (has(link.dataset.add)) drop(link.dataset.add);
  else put(link.dataset.add, link.dataset.name);
});
// A link that acts as a button is pressed by the space bar as well.
document.addEventListener("keydown", (event) => {
  if (event.key !== " " || !event.target.matches("[data-add]")) return;
  event.preventDefault();
  event.target.click();
});
document.addEventListener("change", (event) => {
  const box = event.target;
  if (!box.matches("#cards tbody input[name=card]")) return;
  if (!box.checked) drop(box.value);
  else box.checked = put(box.value, $("th a", box.closest("tr")).textContent.trim());
});
$("button.tool", tray).addEventListener("click", () => { kept = []; keep(); });
addEventListener("storage", (event) => {
  if (event.key === "tianti.tray") { kept = JSON.parse(event.newValue) || []; show(); }
});
addEventListener("pageshow", show);

// A comparison is what the tray holds from then on.
const compared = $("#compare");
if (compared) {
  kept = $$("thead th[data-id]", compared).map((th) => ({ id: th.dataset.id, name: $("a", th).textContent.trim() })).slice(0, most);
  keep();
}
