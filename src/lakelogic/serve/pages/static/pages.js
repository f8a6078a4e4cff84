// Loaded before the page is drawn, so that a chosen theme never flashes in the other one.
(() => {
  const root = document.documentElement;
  const store = {
    get: () => { try { return localStorage.getItem("theme"); } catch { return null; } },
    set: (value) => { try { localStorage.setItem("theme", value); } catch { /* private windows keep nothing */ } },
  };
  const apply = (theme) => {
    if (theme === "light" || theme === "dark") root.dataset.theme = theme;
    else delete root.dataset.theme;
    for (const button of document.querySelectorAll("[data-choose-theme]")) {
      button.setAttribute("aria-pressed", String(button.dataset.chooseTheme === (root.dataset.theme || "auto")));
    }
  };
  apply(store.get());

  const count = () => {
    const rows = document.querySelectorAll("input[name=row]");
    const chosen = [...rows].filter((each) => each.checked).length;
    const told = document.querySelector("[data-chosen]");
    if (told) told.textContent = chosen === 1 ? "1 row chosen" : `${chosen} rows chosen`;
    const all = document.querySelector("[data-choose-all]");
    if (all) { all.checked = chosen > 0 && chosen === rows.length; all.indeterminate = chosen > 0 && chosen < rows.length; }
  };

  document.addEventListener("DOMContentLoaded", () => { apply(store.get()); count(); });
  document.addEventListener("htmx:afterSettle", count);
  document.addEventListener("click", (event) => {
    const fit = event.target.closest("[data-fit]");
    if (fit) fit.setAttribute("aria-pressed", String(document.querySelector(".graph").classList.toggle("fits")));
    const button = event.target.closest("[data-choose-theme]");
    if (!button) return;
    store.set(button.dataset.chooseTheme);
    apply(button.dataset.chooseTheme);
  });
  document.addEventListener("change", (event) => {
    if (event.target.matches("[data-choose-all]")) {
      for (const each of document.querySelectorAll("input[name=row]")) each.checked = event.target.checked;
    }
    if (event.target.matches("input[name=row], [data-choose-all]")) count();
  });
  document.addEventListener("keydown", (event) => {
    const typing = event.target.matches("input, select, textarea, [contenteditable]");
    const search = document.querySelector("input[type=search]");
    if (event.key === "/" && !typing && search) { event.preventDefault(); search.focus(); }
    if (event.key === "Escape" && typing) event.target.blur();
  });
})();
