// Handing in a file: dropping it, and how far sending and reading have come. Without
// this script the same form works, only silently.

const $ = (selector, root = document) => root.querySelector(selector);

// send posts a form and follows what the server writes, a JSON object a line.
function send(form, file) {
  const panel = $(".progress", form);
  const bar = $("progress", panel);
  const text = $("span", panel);
  const data = new FormData(form);
  const says = (what) => form.getAttribute("data-" + what); // form.dataset may be a field of that name
  if (file) data.set("file", file);
  const request = new XMLHttpRequest();
  let read = 0;

  const show = (share, words) => {
    panel.hidden = false;
    if (share === null) bar.removeAttribute("value");
    else bar.value = share;
    if (text.textContent !== words) text.textContent = words;
  };
  const fail = (words) => {
    show(0, words);
    panel.classList.add("failed");
    form.inert = false;
    $("button", form).focus();
  };
  const line = (message) => {
    if (message.location) location.assign(message.location);
    else if (message.error) fail([message.error, message.detail].filter(Boolean).join(" — "));
    else show(message.size > 0 ? message.bytes / message.size : null, says("reading").replace("%s", message.rows.toLocaleString("en").replaceAll(",", "\u202f")));
  };
  const follow = () => {
    const end = request.responseText.lastIndexOf("\n") + 1;
    const lines = request.responseText.slice(read, end).split("\n");
    read = end;
    for (const each of lines) if (each) line(JSON.parse(each));
  };

  request.upload.addEventListener("progress", (event) => show(event.lengthComputable ? event.loaded / event.total : null, says("sending")));
  request.addEventListener("progress", () => { if (request.status === 200) follow(); });
  request.addEventListener("load", () => {
    if (request.status === 200) return follow();
    // A page says what is wrong, the same that a browser without this script shows.
    if ((request.getResponseHeader("Content-Type") || "").startsWith("text/html")) {
      const page = new DOMParser().parseFromString(request.responseText, "text/html");
      const words = $("[role=alert]", page) || $("main", page);
      return fail(words ? words.textContent.replace(/\s+/g, " ").trim() : says("failed"));
    }
    fail(says("failed"));
  });
  for (const end of ["error", "abort"]) request.addEventListener(end, () => fail(says("failed")));

  panel.classList.remove("failed");
  show(null, says("sending"));
  form.inert = true;
  request.open("POST", form.action);
  request.setRequestHeader("Accept", "application/x-ndjson");
  request.send(data);
}

for (const form of document.querySelectorAll("form[data-upload]")) {
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    send(form);
  });
}

const zone = $(".dropzone");
if (zone) {
  const over = (on) => zone.classList.toggle("over", on);
  for (const type of ["dragenter", "dragover"]) {
    document.addEventListener(type, (event) => {
      if (![...event.dataTransfer.types].includes("Files")) return;
      event.preventDefault();
      over(true);
    });
  }
  document.addEventListener("dragleave", (event) => { if (!event.relatedTarget) over(false); });
  document.addEventListener("drop", (event) => {
    const file = event.dataTransfer.files[0];
    over(false);
    if (!file) return;
    event.preventDefault();
    send(zone.closest("form"), file);
  });
}
