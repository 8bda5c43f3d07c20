// Runs before the first paint: says that there is JavaScript, and applies the
// theme that the reader chose.
(function () {
  var root = document.documentElement;
  root.classList.add("js");
  try {
    var theme = localStorage.getItem("tianti.theme");
    if (theme) root.dataset.theme = theme;
  } catch (e) { /* storage is off: the system decides */ }
})();
