// Tables are sorted by a click on a header and filtered by words; figures over time are zoomed. All controls are made here: without scripts
// the page has none.
"use strict";
(() => {
  const FILTERED_ABOVE = 12; // rows
  const SVG = "http://www.w3.org/2000/svg";
  const UNITS = { ps: 1, ns: 1e3, us: 1e6, ms: 1e9, s: 1e12 };

  function made(tag, attributes, text) {
    const one = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) one.setAttribute(name, value);
    if (text) one.textContent = text;
    return one;
  }

  // ---- tables

  function valueOf(row, column) {
    return row.cells[column].dataset.value;
  }

  /** Numbers by their exact values, words by the alphabet; cells without a value last. */
  function sortedRows(rows, column, sign) {
    const numeric = rows.every(row => valueOf(row, column) === "" || !isNaN(Number(valueOf(row, column))));
    const compare = (a, b) => numeric ? Number(a) - Number(b) : a.localeCompare(b, "en", { numeric: true });
    return [...rows].sort((one, other) => {
      const [a, b] = [valueOf(one, column), valueOf(other, column)];
      return a === "" || b === "" ? (a === "") - (b === "") : sign * compare(a, b);
    });
  }

  function sortable(table) {
    const body = table.tBodies[0], rows = [...body.rows], heads = [...table.tHead.rows[0].cells];
    if (rows.length < 2) return;
    heads.forEach((head, column) => {
      const button = made("button", { type: "button" }, head.textContent);
      head.replaceChildren(button);
      button.addEventListener("click", () => {
        const next = { ascending: "descending", descending: null }[head.getAttribute("aria-sort")];
        const order = next === undefined ? "ascending" : next;
        heads.forEach(other => other.removeAttribute("aria-sort"));
        if (order) head.setAttribute("aria-sort", order);
        body.append(...(order ? sortedRows(rows, column, order === "ascending" ? 1 : -1) : rows));
      });
    });
  }

  function filterable(table) {
    const rows = [...table.tBodies[0].rows];
    if (rows.length <= FILTERED_ABOVE) return;
    const caption = table.caption.querySelector("span").firstChild.textContent.trim();
    const field = made("input", { type: "search", "aria-label": `Filter the rows of: ${caption}`, placeholder: "words, all of which a row has" });
    const shown = made("output", {}, "");
    const line = made("p", { class: "controls" }, "Filter ");
    line.append(field, " ", shown);
    table.parentNode.before(line);
    field.addEventListener("input", () => {
      const words = field.value.toLowerCase().split(/\s+/);
      for (const row of rows) row.hidden = !words.every(word => row.textContent.toLowerCase().includes(word));
      shown.textContent = field.value.trim() ? `${rows.filter(row => !row.hidden).length} of ${rows.length} rows` : "";
    });
  }

  // ---- figures over time

  function picosecondsIn(label) {
    const found = /^([\d.]+) (ps|ns|us|ms|s)$/.exec(label);
    return label === "0" ? 0 : found ? found[1] * UNITS[found[2]] : NaN;
  }

  function timeText(ps, step_ps) {
    if (ps < step_ps / 1000) return "0";
    const [unit, scale] = Object.entries(UNITS).reverse().find(([, scale]) => ps >= scale) || ["ps", 1];
    return `${(ps / scale).toFixed(Math.max(0, Math.ceil(-Math.log10(step_ps / scale) - 1e-9)))} ${unit}`;
  }

  /** 1, 2 or 5 of a power of ten, about six of which make the span. */
  function stepOf(span_ps) {
    const power = 10 ** Math.floor(Math.log10(span_ps / 6));
    return [1, 2, 5, 10].map(times => times * power).find(step => span_ps / step <= 7);
  }

  /** From which time until which a panel goes as it is drawn. Null: its ticks do not say. */
  function timesOf({ box, ticks }) {
    const known = ticks.map(tick => [Number(tick.querySelector("use").getAttribute("x")), picosecondsIn(tick.textContent.trim())])
      .filter(([, ps]) => !isNaN(ps));
    if (known.length < 2) return null;
    const [[x, ps], [lastX, last_ps]] = [known[0], known[known.length - 1]];
    const ps_per_x = (last_ps - ps) / (lastX - x), from_ps = ps + (box.x - x) * ps_per_x;
    return [from_ps, from_ps + box.width * ps_per_x];
  }

  /** One panel: its time axis, and what lies over it. */
  function panelOf(axis) {
    const axes = axis.parentNode, box = axes.querySelector("path").getBBox();
    const ticks = [...axis.children].filter(one => one.id.includes("xtick"));
    const within = query => [...axes.querySelectorAll(query)].filter(one => !one.closest('[id*="-axis"], [id*="legend_"]'));
    const marks = within("use").map(one => [one, Number(one.getAttribute("x"))]);
    const texts = [...axes.children].filter(one => one.id.includes("-text_")).map(one => [one, one.getBBox()])
      .filter(([, { y, height }]) => y >= box.y && y + height <= box.y + box.height).map(([one, { x }]) => [one, x]);
    const stretched = within("[clip-path]").filter(one => !one.querySelector("use")).map(one => {
      const holder = document.createElementNS(SVG, "g");
      holder.setAttribute("clip-path", one.getAttribute("clip-path"));
      one.removeAttribute("clip-path");
      one.replaceWith(holder);
      holder.append(one);
      one.style.vectorEffect = "non-scaling-stroke";
      return [one, one.getAttribute("transform") || ""];
    });
    return { axis, box, ticks, marks, texts, stretched, own: [] };
  }

  /** Shows the part from `low` to `high` of the whole axis, 0 to 1: from one time until another. */
  function show(panel, low, high, from_ps, until_ps) {
    const { axis, box, ticks, marks, texts, stretched } = panel, times = 1 / (high - low), whole = times === 1;
    const at = x => box.x + (x - box.x - low * box.width) * times;
    for (const [one, was] of stretched) one.setAttribute("transform", `translate(${at(0)} 0) scale(${times} 1) ${was}`);
    for (const [one, x] of marks) one.setAttribute("x", at(x));
    for (const [one, x] of texts) one.setAttribute("transform", `translate(${at(x) - x} 0)`);
    for (const [one, x] of [...marks, ...texts]) {
      one.style.display = at(x) < box.x - 0.01 || at(x) > box.x + box.width + 0.01 ? "none" : "";
    }
    panel.own.forEach(tick => tick.remove());
    ticks.forEach(tick => { tick.style.display = whole ? "" : "none"; });
    const step_ps = stepOf(until_ps - from_ps), first = ticks[0];
    panel.own = [];
    for (let n = Math.ceil(from_ps / step_ps - 1e-9); !whole && n * step_ps <= until_ps * (1 + 1e-9); n++) {
      const tick = first.cloneNode(true);
      tick.style.display = "";
      for (const part of [tick, ...tick.querySelectorAll("[id]")]) part.removeAttribute("id");
      tick.querySelectorAll("defs").forEach(defs => defs.remove());
      const x = box.x + (n * step_ps - from_ps) / (until_ps - from_ps) * box.width;
      for (const line of tick.querySelectorAll("path[clip-path]")) line.removeAttribute("clip-path");
      tick.setAttribute("transform", `translate(${x - Number(tick.querySelector("use").getAttribute("x"))} 0)`);
      const text = tick.querySelector("text");
      if (text) text.textContent = timeText(n * step_ps, step_ps);
      axis.append(tick);
      panel.own.push(tick);
    }
  }

  function zoomable(drawing) {
    const svg = drawing.querySelector("svg");
    if (!svg) return; // the picture of the fabric
    const panels = [...svg.querySelectorAll('g[id*="-time-axis-"]')].map(panelOf), times = panels.map(timesOf).find(Boolean);
    if (!times) return;
    let low = 0, high = 1;
    const shown = made("output", { "aria-live": "polite" });
    function view(newLow, span) {
      span = Math.min(1, Math.max(1e-6, span));
      low = Math.min(Math.max(0, newLow), 1 - span);
      high = span === 1 ? 1 : low + span;
      const [from_ps, until_ps] = [low, high].map(end => times[0] + end * (times[1] - times[0]));
      panels.forEach(panel => show(panel, low, high, from_ps, until_ps));
      shown.textContent = span < 1 ? [from_ps, until_ps].map(ps => timeText(ps, (until_ps - from_ps) / 100)).join(" to ") : "";
    }
    const doing = {
      "Zoom in": () => view(low + (high - low) / 4, (high - low) / 2),
      "Zoom out": () => view(low - (high - low) / 2, (high - low) * 2),
      "Earlier": () => view(low - (high - low) / 2, high - low),
      "Later": () => view(low + (high - low) / 2, high - low),
      "Whole": () => view(0, 1),
    };
    const line = made("p", { class: "controls", role: "group", "aria-label": `Time axis of: ${drawing.getAttribute("aria-label")}` });
    for (const [name, does] of Object.entries(doing)) {
      const button = made("button", { type: "button" }, name);
      button.addEventListener("click", does);
      line.append(button, " ");
    }
    line.append(shown);
    drawing.before(line);
    dragged(svg, panels, (from, to) => view(low + from * (high - low), (to - from) * (high - low)));
  }

  /** Calls `done` with both ends, 0 to 1 of what a panel shows, of what the pointer was dragged over there. */
  function dragged(svg, panels, done) {
    let begun = null;
    const place = event => new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
    svg.addEventListener("pointerdown", event => {
      const { x, y } = place(event);
      const panel = panels.find(({ box }) => x >= box.x && x <= box.x + box.width && y >= box.y && y <= box.y + box.height);
      begun = panel ? { panel, x } : null;
      if (panel) event.preventDefault();
    });
    svg.addEventListener("pointerup", event => {
      if (!begun) return;
      const { panel: { box }, x } = begun, ends = [x, place(event).x].map(end => Math.min(1, Math.max(0, (end - box.x) / box.width)));
      begun = null;
      if (Math.abs(ends[0] - ends[1]) > 0.01) done(Math.min(...ends), Math.max(...ends));
    });
  }

  document.querySelectorAll("table").forEach(table => { sortable(table); filterable(table); });
  document.querySelectorAll(".drawing").forEach(zoomable);
})();
