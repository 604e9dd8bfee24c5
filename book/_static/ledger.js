/* Filters and sorts the table of claims. Plain script without imports, because pages are also opened as files.
   Without it the table is complete, only neither filtered nor sorted. */
(() => {
  const make = (name, properties, ...children) => {
    const element = Object.assign(document.createElement(name), properties);
    element.append(...children);
    return element;
  };

  const choice = (label, options) => {
    const select = make("select", {}, make("option", { value: "", textContent: "all" }));
    options.forEach(([value, text]) => select.append(make("option", { value, textContent: text })));
    return [make("label", {}, `${label} `, select), select];
  };

  const text = (row, head) => row.querySelector(`td[data-head="${head}"]`).textContent.trim();

  const key = (row, column, kind) => {
    const cell = row.cells[column];
    if (kind === "number") return parseFloat(cell.dataset.value ?? cell.textContent);
    return cell.textContent.trim();
  };

  const compare = (a, b) => typeof a === "number" ? a - b : a.localeCompare(b, "en", { numeric: true });

  /* Rows without a number stay last in either direction. */
  const sorted = (rows, column, kind, sign) => [...rows].sort((r, s) => {
    const [a, b] = [key(r, column, kind), key(s, column, kind)];
    if (Number.isNaN(a) || Number.isNaN(b)) return Number.isNaN(a) - Number.isNaN(b);
    return sign * compare(a, b);
  });

  const addSorting = (table, rows) => {
    const heads = [...table.tHead.rows[0].cells];
    heads.forEach((head, column) => {
      const button = make("button", { type: "button", textContent: head.textContent });
      button.addEventListener("click", () => {
        const descending = head.getAttribute("aria-sort") === "ascending";
        heads.forEach(other => other.removeAttribute("aria-sort"));
        head.setAttribute("aria-sort", descending ? "descending" : "ascending");
        table.tBodies[0].append(...sorted(rows, column, head.dataset.kind, descending ? -1 : 1));
      });
      head.replaceChildren(button);
    });
  };

  const addFilters = (box, rows) => {
    const word = make("input", { type: "search", autocomplete: "off" });
    const names = rows.map(row => [row.dataset.chapter, text(row, "Chapter")]);
    const verdicts = rows.map(row => [row.dataset.verdict, text(row, "Verdict").replace(/^\W+/, "")]);
    const [verdictLabel, verdict] = choice("Verdict", [...new Map(verdicts)]);
    const [chapterLabel, chapter] = choice("Chapter", [...new Map(names)]);
    const count = make("output", {});
    count.setAttribute("aria-live", "polite");

    const apply = () => {
      const wanted = word.value.trim().toLowerCase().split(/\s+/);
      rows.forEach(row => {
        const words = row.dataset.words;
        row.hidden = !(wanted.every(part => words.includes(part)) &&
          (!verdict.value || row.dataset.verdict === verdict.value) &&
          (!chapter.value || row.dataset.chapter === chapter.value));
      });
      count.textContent = `${rows.filter(row => !row.hidden).length} of ${rows.length} claims`;
    };
    const reveal = () => {
      const target = rows.find(row => `#${row.id}` === location.hash);
      if (!target?.hidden) return;
      [word, verdict, chapter].forEach(control => { control.value = ""; });
      apply();
      target.scrollIntoView();
    };
    [word, verdict, chapter].forEach(control => control.addEventListener("input", apply));
    window.addEventListener("hashchange", reveal);
    box.before(make("form", { className: "ledger-filter", onsubmit: () => false },
      make("label", {}, "Find ", word), verdictLabel, chapterLabel, count));
    apply();
  };

  document.addEventListener("DOMContentLoaded", () => {
    document.querySelectorAll(".ledger").forEach(box => {
      const table = box.querySelector("table");
      const rows = [...table.tBodies[0].rows];
      rows.forEach(row => { row.dataset.words = row.textContent.toLowerCase(); });
      addSorting(table, rows);
      addFilters(box, rows);
    });
  });
})();
