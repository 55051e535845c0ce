"use strict";
// The overview without this script is whole. With it, its table can be filtered and sorted: all services, of all pages.
(() => {
  const SHOWN = 500; // rows at once
  const NAMES = ["target", "address", "outcome", "failed", "worse", "alerts", "warnings", "decided", "started", "page", "texts"];
  const form = document.getElementById("filter");
  const body = document.getElementById("services");
  const found = document.getElementById("found");
  const parts = document.querySelector(".parts");
  if (!form || !body) return;

  const texts = JSON.parse(form.dataset.texts); // in the language of the page
  const asItWas = [...body.rows];
  let rows = null; // in the order of the pages: the worst first
  let sorted = null; // the column, and whether the largest comes first

  function loaded(then) {
    if (rows) return then();
    window.services = (all) => {
      rows = all.map((row) => Object.fromEntries(NAMES.map((name, place) => [name, row[place]])));
    };
    const script = document.createElement("script");
    script.src = "data/overview.js";
    script.onload = then;
    script.onerror = () => { found.textContent = texts.absent; };
    document.head.append(script);
  }

  function wanted() {
    const { words: text, outcome, age, failed, worse, alerts } = form.elements;
    const needle = text.value.trim().toLowerCase();
    const since = age.value && new Date(Date.now() - age.value * 86_400_000).toISOString();
    return (row) =>
      (!needle || `${row.target} ${row.address}`.toLowerCase().includes(needle)) &&
      (!outcome.value || row.outcome === outcome.value) &&
      (!since || row.started < since) &&
      (!failed.checked || row.failed > 0) &&
      (!worse.checked || row.worse > 0) &&
      (!alerts.checked || row.alerts > 0);
  }

  function compared(one, other) {
    const [a, b] = [one[sorted.by], other[sorted.by]];
    const order = typeof a === "number" ? a - b : a.localeCompare(b);
    return sorted.down ? -order : order;
  }

  function element(name, properties) {
    return Object.assign(document.createElement(name), properties);
  }

  // Data become text, and never HTML: the row is a copy of one of the page.
  function drawn(row) {
    const line = asItWas[0].cloneNode(true);
    row.texts.forEach((text, place) => {
      const cell = line.cells[place];
      (cell.firstElementChild ?? cell).textContent = text;
    });
    line.querySelector("a").href = `services/${row.page}.html`;
    line.querySelector(".badge").className = `badge ${row.outcome}`;
    line.querySelector("time").dateTime = row.started;
    return line;
  }

  function filled(text, values) {
    return text.replace(/\{(\w+)\}/g, (_, name) => values[name]);
  }

  function show() {
    const filtered = [...new FormData(form).values()].some((value) => value.trim());
    if (!filtered && !sorted) {
      body.replaceChildren(...asItWas);
      found.textContent = "";
    } else {
      const some = rows.filter(wanted());
      if (sorted) some.sort(compared);
      body.replaceChildren(...some.slice(0, SHOWN).map(drawn));
      const text = some.length > SHOWN ? texts.first : texts.found;
      found.textContent = filled(text, { found: some.length, all: rows.length, shown: SHOWN });
    }
    if (parts) parts.hidden = filtered || sorted !== null;
    const state = new URLSearchParams([...new FormData(form)].filter(([, value]) => value.trim()));
    if (sorted) state.set("sort", `${sorted.down ? "-" : ""}${sorted.by}`);
    history.replaceState(null, "", `#${state}`);
    for (const head of document.querySelectorAll("th[data-by]")) {
      if (sorted?.by === head.dataset.by) head.setAttribute("aria-sort", sorted.down ? "descending" : "ascending");
      else head.removeAttribute("aria-sort");
    }
  }

  for (const head of document.querySelectorAll("th[data-by]")) {
    const by = head.dataset.by;
    const button = element("button", { type: "button", textContent: head.textContent });
    const numbers = !["target", "outcome", "started"].includes(by);
    button.addEventListener("click", () => {
      // The first click shows what matters most: large numbers, the first names, the oldest runs. A third one ends it.
      if (sorted?.by !== by) sorted = { by, down: numbers, clicks: 1 };
      else if (sorted.clicks === 1) sorted = { by, down: !numbers, clicks: 2 };
      else sorted = null;
      loaded(show);
    });
    head.replaceChildren(button);
  }
  form.addEventListener("input", () => loaded(show));
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => { sorted = null; setTimeout(() => loaded(show)); });
  form.hidden = false;

  const before = new URLSearchParams(location.hash.slice(1));
  if (before.size) {
    for (const [name, value] of before) {
      const field = form.elements[name];
      if (field?.type === "checkbox") field.checked = value === "on";
      else if (field && name !== "sort") field.value = value;
    }
    const by = before.get("sort") ?? "";
    const head = [...document.querySelectorAll("th[data-by]")].find((each) => each.dataset.by === by.replace("-", ""));
    if (head) sorted = { by: head.dataset.by, down: by.startsWith("-"), clicks: 1 };
    loaded(show);
  }
})();
