// What a drawing says of the mark that is pointed at: by mouse, by touch and with the arrow keys.
//
// Marks are elements with a title, or, where there are too many for an element each, places of the svg
// (data-at) with a line each of the figure's data-tips: an address, a tab and what is said.

const near = 26; // pixels from a mark that still mean it
const tip = document.createElement("div");
tip.className = "tip";
tip.setAttribute("role", "status");
tip.hidden = true;
document.body.append(tip);

let shown = null; // the drawing and the mark that the tip is about

const titled = "a > title, g > title, circle > title, rect > title, path > title";

// marksOf are the marks of a drawing: what is said of each, where it leads, and where it is.
function marksOf(svg) {
  const lines = svg.closest("[data-tips]")?.dataset.tips.split("\n");
  if (lines && svg.dataset.at) {
    const at = svg.dataset.at.trim().split(" ").map(Number);
    return lines.slice(0, at.length / 2).map((line, i) => {
      const [href, text] = line.split("\t");
      const where = () => new DOMPoint(at[2 * i], at[2 * i + 1]).matrixTransform(svg.getScreenCTM());
      return { href, text, where };
    });
  }
  return [...svg.querySelectorAll(titled)].map((title) => {
    const mark = title.parentElement, text = title.textContent;
    mark.setAttribute("aria-label", text);
    if (mark.localName !== "a") mark.setAttribute("role", "img");
    title.remove(); // or the browser shows it a second time
    const shape = mark.querySelector("circle, path, rect") ?? mark;
    const where = () => { const box = shape.getBoundingClientRect(); return { x: box.x + box.width / 2, y: box.y + box.height / 2, box }; };
    return { href: mark.getAttribute("href"), text, where, mark };
  });
}

function hide() {
  tip.hidden = true;
  shown = null;
}

function show(drawing, i) {
  const { href, text, where, mark } = drawing.marks[i];
  const { x, y } = where();
  shown = { drawing, i };
  drawing.at = i;
  const says = document.createElement(href && !mark ? "a" : "span");
  if (says.localName === "a") { says.href = href; says.tabIndex = -1; }
  says.textContent = text;
  tip.replaceChildren(says);
  tip.hidden = false;
  const { width, height } = tip.getBoundingClientRect();
  const left = Math.min(Math.max(x - width / 2, 8), document.documentElement.clientWidth - width - 8);
  const top = y - height - 12 > 0 ? y - height - 12 : y + 14;
  tip.style.left = left + scrollX + "px";
  tip.style.top = top + scrollY + "px";
}

// nearest is the mark that a pointer means, or -1.
function nearest(drawing, event) {
  let best = -1, least = near;
  drawing.marks.forEach(({ where }, i) => {
    const { x, y, box } = where();
    const d = box
      ? Math.hypot(Math.max(box.left - event.clientX, 0, event.clientX - box.right), Math.max(box.top - event.clientY, 0, event.clientY - box.bottom))
      : Math.hypot(x - event.clientX, y - event.clientY);
    if (d < least) { best = i; least = d; }
  });
  return best;
}

function follow(svg) {
  if (!svg.dataset.at && !svg.querySelector(titled)) return;
  const links = svg.querySelector("a > title"); // each has the focus by itself
  let marks = null; // until somebody points at the drawing
  const drawing = { svg, at: -1, order: null, get marks() { return marks ??= marksOf(svg); } };
  const point = (event) => { const i = nearest(drawing, event); if (i < 0) hide(); else show(drawing, i); return i; };
  let waiting = false;
  svg.addEventListener("pointermove", (event) => {
    if (event.pointerType !== "mouse" || waiting) return;
    waiting = true;
    requestAnimationFrame(() => { waiting = false; point(event); });
  });
  svg.addEventListener("pointerleave", (event) => { if (event.pointerType === "mouse" && !tip.contains(event.relatedTarget)) hide(); });
  svg.addEventListener("click", (event) => {
    if (event.target.closest("a")) return;
    const i = point(event);
    if (i >= 0 && event.pointerType === "mouse" && drawing.marks[i].href && !drawing.marks[i].mark) location.href = drawing.marks[i].href;
  });
  svg.addEventListener("focusin", (event) => {
    const i = drawing.marks.findIndex(({ mark }) => mark && mark === event.target);
    if (i >= 0) show(drawing, i);
  });
  svg.addEventListener("focusout", hide);
  if (links) return;
  svg.tabIndex = 0;
  svg.addEventListener("keydown", (event) => {
    if (event.target !== svg || !drawing.marks.length) return;
    const step = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, Home: -Infinity, End: Infinity }[event.key];
    if (event.key === "Enter" && drawing.at >= 0 && marks[drawing.at].href) location.href = marks[drawing.at].href;
    if (!step) return;
    event.preventDefault();
    drawing.order ??= marks.map((_, i) => i).sort((i, j) => marks[i].where().x - marks[j].where().x);
    const at = drawing.order.indexOf(drawing.at) + step;
    show(drawing, drawing.order[Math.min(Math.max(at, 0), marks.length - 1)]);
  });
}

document.addEventListener("keydown", (event) => { if (event.key === "Escape") hide(); });
document.addEventListener("pointerdown", (event) => {
  if (shown && !tip.contains(event.target) && !shown.drawing.svg.contains(event.target)) hide();
});
tip.addEventListener("pointerleave", (event) => { if (!shown?.drawing.svg.contains(event.relatedTarget)) hide(); });
for (const svg of document.querySelectorAll("svg.chart, svg.scatter, svg.timeline")) follow(svg);
