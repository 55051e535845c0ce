(() => {
  const all = (selector) => [...document.querySelectorAll(selector)];
  const byId = (id) => document.getElementById(id);

  const filter = document.querySelector(".filter");
  const rows = all("#content .row[data-state]");
  const text = byId("filter-text");
  const choices = ["state", "level", "cause"];
  const narrow = () => {
    const wanted = text.value.trim().toLowerCase();
    const fits = (row) =>
      row.textContent.toLowerCase().includes(wanted) &&
      choices.every((name) => {
        const value = byId("filter-" + name).value;
        return !value || row.dataset[name].split(" ").includes(value);
      });
    let shown = 0;
    for (const row of rows) {
      row.hidden = !fits(row);
      shown += !row.hidden;
    }
    for (const clause of all(".clause")) clause.hidden = !clause.querySelector(".row:not([hidden])");
    byId("filter-result").textContent = shown + " of " + rows.length + " requirements";
  };
  filter.hidden = false;
  filter.addEventListener("input", narrow);
  narrow();

  const reveal = () => {
    let id = location.hash.slice(1);
    try {
      id = decodeURIComponent(id);
    } catch {
      return;
    }
    const found = id && byId(id);
    if (!found) return;
    if (found.closest("[hidden]")) {
      text.value = "";
      for (const name of choices) byId("filter-" + name).value = "";
      narrow();
    }
    for (let node = found; node; node = node.parentElement) if (node.tagName === "DETAILS") node.open = true;
    found.scrollIntoView();
  };
  addEventListener("hashchange", reveal);
  // A link to the place where the page already is changes nothing, so nothing tells of it.
  addEventListener("click", (event) => {
    if (event.target.closest("a")?.hash === location.hash) reveal();
  });
  reveal();

  for (const button of all(".copy")) {
    button.hidden = false;
    button.addEventListener("click", async () => {
      const source = button.parentElement.querySelector("pre");
      try {
        await navigator.clipboard.writeText(source.textContent);
      } catch {
        getSelection().selectAllChildren(source);
        document.execCommand("copy");
      }
      button.textContent = "Copied";
      setTimeout(() => { button.textContent = "Copy"; }, 2000);
    });
  }

  // For browsers that cannot open folded parts for print by style.
  const folded = all(".card:not(.inconclusive) :is(.decisive, .others)");
  addEventListener("beforeprint", () => folded.forEach((each) => { each.dataset.open = each.open; each.open = true; }));
  addEventListener("afterprint", () => folded.forEach((each) => { each.open = each.dataset.open === "true"; }));
})();
