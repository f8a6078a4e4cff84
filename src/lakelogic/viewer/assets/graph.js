"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const { boxes, arrows, words } = data;
  const stage = document.getElementById("stage"), panel = document.getElementById("panel");
  const svg = stage.querySelector("svg");
  const size = { width: svg.viewBox.baseVal.width, height: svg.viewBox.baseVal.height };
  const drawn = new Map([...svg.querySelectorAll(".box")].map((node) => [Number(node.dataset.box), node]));
  const lines = new Map();
  for (const node of svg.querySelectorAll("[data-arrow]")) {
    const number = Number(node.dataset.arrow);
    lines.set(number, [...(lines.get(number) || []), node]);
  }
  const into = boxes.map(() => []), from = boxes.map(() => []);
  arrows.forEach(([a, b], number) => { from[a].push(number); into[b].push(number); });
  const place = (number) => {
    const at = drawn.get(number).transform.baseVal.getItem(0).matrix;
    const back = drawn.get(number).querySelector(".back");
    return { x: at.e, y: at.f, width: back.width.baseVal.value, height: back.height.baseVal.value };
  };

  // The camera.
  let view = { x: 0, y: 0, scale: 1 };
  // Moved as one picture: a transform inside of it would lay out every text anew.
  const show = () => { svg.style.transform = `translate(${view.x}px, ${view.y}px) scale(${view.scale})`; };
  const room = () => ({ width: stage.clientWidth, height: stage.clientHeight });
  const fit = (least) => {
    const { width, height } = room();
    const scale = Math.max(Math.min(width / size.width, height / size.height, 1.15), least);
    view = { scale, x: Math.max((width - size.width * scale) / 2, 0), y: Math.max((height - size.height * scale) / 2, 0) };
    show();
  };
  const zoom = (factor, x = room().width / 2, y = room().height / 2) => {
    const scale = Math.min(Math.max(view.scale * factor, 0.05), 3);
    const by = scale / view.scale;
    view = { scale, x: x - (x - view.x) * by, y: y - (y - view.y) * by };
    show();
  };
  // Bring all of some boxes into view where that leaves them readable; else only the one that matters most.
  const revealAll = (numbers, most, least) => {
    const { width, height } = room(), places = [...numbers].map(place), margin = 30;
    const left = Math.min(...places.map((at) => at.x)), right = Math.max(...places.map((at) => at.x + at.width));
    const top = Math.min(...places.map((at) => at.y)), bottom = Math.max(...places.map((at) => at.y + at.height));
    const widest = Math.min((width - 2 * margin) / (right - left), (height - 2 * margin) / (bottom - top));
    if (widest < least) { reveal(most); return; }
    const scale = Math.min(widest, Math.max(view.scale, 0.8));
    const inside = left * view.scale + view.x >= 0 && right * view.scale + view.x <= width
      && top * view.scale + view.y >= 0 && bottom * view.scale + view.y <= height;
    if (!inside) view = { scale, x: (width - (left + right) * scale) / 2, y: (height - (top + bottom) * scale) / 2 };
    show();
  };
  const reveal = (number) => {
    const { width, height } = room(), at = place(number), margin = 40;
    if (view.scale < 0.45) zoom(0.8 / view.scale);
    const left = at.x * view.scale + view.x, top = at.y * view.scale + view.y;
    const wide = at.width * view.scale, high = at.height * view.scale;
    if (left < margin || left + wide > width - margin) view.x += (width - wide) / 2 - left;
    if (top < margin || top + high > height - margin) view.y += (height - high) / 2 - top;
    show();
  };
  svg.classList.add("moves");
  fit(0.55);
  stage.addEventListener("wheel", (event) => {
    event.preventDefault();
    const at = stage.getBoundingClientRect();
    if (event.ctrlKey || !event.shiftKey && Math.abs(event.deltaY) >= Math.abs(event.deltaX)) {
      zoom(Math.exp(-event.deltaY * (event.ctrlKey ? 0.01 : 0.0015)), event.clientX - at.left, event.clientY - at.top);
    } else { view.x -= event.deltaX || event.deltaY; show(); }
  }, { passive: false });
  const fingers = new Map();
  let moved = false;
  stage.addEventListener("pointerdown", (event) => {
    fingers.set(event.pointerId, event);
    moved = false;
  });
  stage.addEventListener("pointermove", (event) => {
    const before = fingers.get(event.pointerId);
    if (!before) return;
    const x = event.clientX - before.clientX, y = event.clientY - before.clientY;
    if (!moved && Math.hypot(x, y) < 4) return;
    if (!moved) stage.setPointerCapture(event.pointerId);
    moved = true;
    stage.classList.add("held");
    if (fingers.size === 2) {
      const other = [...fingers.values()].find((finger) => finger.pointerId !== event.pointerId);
      const at = stage.getBoundingClientRect(), apart = (a) => Math.hypot(a.clientX - other.clientX, a.clientY - other.clientY) || 1;
      zoom(apart(event) / apart(before), (event.clientX + other.clientX) / 2 - at.left, (event.clientY + other.clientY) / 2 - at.top);
    } else { view.x += x; view.y += y; show(); }
    fingers.set(event.pointerId, event);
  });
  for (const end of ["pointerup", "pointercancel"]) {
    stage.addEventListener(end, (event) => { fingers.delete(event.pointerId); stage.classList.remove("held"); });
  }

  // What is lit: a contract with all that it needs and feeds, or a column with all that it is made of and used for.
  let chosen = null, column = null;
  let lit = null;
  const light = (boxesLit, litArrows) => {
    lit = boxesLit;
    svg.classList.toggle("narrowed", lit !== null);
    drawn.forEach((node, number) => node.classList.toggle("lit", lit !== null && lit.has(number)));
    lines.forEach((nodes, number) => nodes.forEach((node) => node.classList.toggle("lit", lit !== null && litArrows.has(number))));
  };
  const reach = (start, next) => {
    const found = new Set([start]), used = new Set(), wanted = [start];
    while (wanted.length) {
      for (const number of next[wanted.pop()]) {
        used.add(number);
        const other = next === into ? arrows[number][0] : arrows[number][1];
        if (!found.has(other)) { found.add(other); wanted.push(other); }
      }
    }
    return [found, used];
  };
  const key = (box, name) => `${box} ${name.toLowerCase()}`;
  let made = null;
  const lineage = () => {
    if (made) return made;
    made = { inputs: new Map(), uses: new Map(), kinds: new Map() };
    boxes.forEach((box, number) => (box.columns || []).forEach(([name, , kind, , ...inputs]) => {
      const own = key(number, words[name]);
      const list = [];
      for (let i = 0; i < inputs.length; i += 2) {
        const other = { box: inputs[i], name: words[inputs[i + 1]] };
        const theirs = key(other.box, other.name);
        list.push(other);
        if (!made.uses.has(theirs)) made.uses.set(theirs, []);
        made.uses.get(theirs).push({ box: number, name: words[name] });
      }
      made.inputs.set(own, list);
      made.kinds.set(own, words[kind]);
    }));
    return made;
  };
  const trace = (box, name) => {
    const found = new Map([[key(box, name), { box, name }]]), pairs = new Set();
    for (const side of ["inputs", "uses"]) {
      const wanted = [{ box, name }], seen = new Set();
      while (wanted.length) {
        const one = wanted.pop(), own = key(one.box, one.name);
        if (seen.has(own)) continue;
        seen.add(own);
        found.set(own, one);
        for (const other of lineage()[side].get(own) || []) {
          pairs.add(side === "inputs" ? `${other.box} ${one.box}` : `${one.box} ${other.box}`);
          wanted.push(other);
        }
      }
    }
    return [[...found.values()], pairs];
  };
  const clearTrace = () => {
    for (const node of svg.querySelectorAll(".trace")) node.remove();
    drawn.forEach((node) => node.classList.remove("traced"));
  };
  const showTrace = (box, name) => {
    const [columns, pairs] = trace(box, name);
    const byBox = new Map();
    for (const one of columns) byBox.set(one.box, [...(byBox.get(one.box) || []), one.name]);
    light(new Set(byBox.keys()), new Set(arrows.flatMap(([a, b], number) => (pairs.has(`${a} ${b}`) ? [number] : []))));
    byBox.forEach((names, number) => {
      const node = drawn.get(number), text = document.createElementNS("http://www.w3.org/2000/svg", "text");
      const outside = boxes[number].kind !== "contract";
      const told = names.join(", ");
      text.textContent = told.length > 34 ? `${told.slice(0, 33)}…` : told;
      text.setAttribute("class", "trace");
      text.setAttribute("x", outside ? 12 : 16);
      text.setAttribute("y", outside ? -5 : 36);
      node.classList.toggle("traced", !outside);
      node.append(text);
    });
  };
  const refresh = () => {
    clearTrace();
    drawn.forEach((node, number) => node.classList.toggle("chosen", number === chosen));
    if (chosen === null) { light(null); return; }
    if (column !== null) { showTrace(chosen, column); return; }
    const [above, usedAbove] = reach(chosen, into), [below, usedBelow] = reach(chosen, from);
    light(new Set([...above, ...below]), new Set([...usedAbove, ...usedBelow]));
  };

  // The panel. Text is set as text: names may hold anything.
  const element = (tag, attributes = {}, ...inside) => {
    const node = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (name === "onclick") node.addEventListener("click", value); else node.setAttribute(name, value);
    }
    node.append(...inside);
    return node;
  };
  const WORDS = { identity: "as it is", transformation: "transformed", aggregation: "aggregated", masked: "masked", generated: "made by the run" };
  const goTo = (number, name = null) => element("button", { class: "link", type: "button", onclick: () => choose(number, name) },
    name === null ? boxes[number].name : `${boxes[number].name} . ${name}`);
  const listed = (title, items) => (items.length ? [element("h3", {}, title), element("ul", {}, ...items.map((item) => element("li", {}, item)))] : []);
  const columnButton = (number, [name, type, kind, hidden]) => {
    const word = words[name], pressed = column !== null && column.toLowerCase() === word.toLowerCase();
    return element("button", { class: "column", type: "button", "aria-pressed": pressed, onclick: () => choose(number, pressed ? null : word) },
      element("span", {}, word), element("small", {}, words[type]),
      element("small", { class: "from" }, WORDS[words[kind]] + (hidden ? " · private" : "")));
  };
  const fill = () => {
    panel.hidden = chosen === null;
    if (chosen === null) { panel.replaceChildren(); return; }
    const box = boxes[chosen], facts = element("dl");
    for (const [name, value] of Object.entries(box.facts || {})) facts.append(element("dt", {}, name), element("dd", {}, value));
    const around = column === null ? [
      ...listed("Reads", into[chosen].map((number) => goTo(arrows[number][0]))),
      ...listed("Feeds", from[chosen].map((number) => goTo(arrows[number][1]))),
    ] : [
      ...listed(`${column} is made of`, (lineage().inputs.get(key(chosen, column)) || []).map((one) => goTo(one.box, one.name))),
      ...listed(`${column} is used for`, (lineage().uses.get(key(chosen, column)) || []).map((one) => goTo(one.box, one.name))),
    ];
    const scroll = panel.scrollTop;
    panel.replaceChildren(
      element("div", { class: "head" }, element("h2", {}, box.name),
        element("button", { class: "close", type: "button", "aria-label": "Close", onclick: () => choose(null) }, "×")),
      ...(box.state ? [element("span", { class: `state ${box.mood}` }, box.state)] : []),
      facts,
      ...(box.note ? [element("p", { class: "note" }, box.note)] : []),
      ...around,
      ...listed("Columns", (box.columns || []).map((one) => columnButton(chosen, one))),
    );
    panel.scrollTop = scroll;
  };
  const choose = (number, name = null) => {
    const before = chosen;
    chosen = number;
    column = number === null ? null : name;
    fill();
    refresh();
    if (number === null) { if (before !== null) drawn.get(before).focus({ preventScroll: true }); return; }
    if (number !== before) { panel.scrollTop = 0; rove(number); }
    revealAll(lit, number, column === null ? 0.7 : 0.4);
    try { history.replaceState(null, "", `#${encodeURIComponent(boxes[number].name)}`); } catch { /* a page without an address */ }
  };

  // Boxes are one stop of the Tab key; arrow keys go from one to the next.
  let current = 0;
  const rove = (number, focus = false) => {
    drawn.get(current)?.setAttribute("tabindex", "-1");
    current = number;
    drawn.get(number).setAttribute("tabindex", "0");
    if (focus) { drawn.get(number).focus({ preventScroll: true }); reveal(number); }
  };
  const beside = (number, down) => {
    const at = place(number);
    const others = [...drawn.keys()].filter((other) => other !== number && place(other).x === at.x && (place(other).y > at.y) === down);
    return others.sort((a, b) => Math.abs(place(a).y - at.y) - Math.abs(place(b).y - at.y))[0];
  };
  const STEPS = {
    ArrowLeft: (number) => into[number].length ? arrows[into[number][0]][0] : undefined,
    ArrowRight: (number) => from[number].length ? arrows[from[number][0]][1] : undefined,
    ArrowUp: (number) => beside(number, false),
    ArrowDown: (number) => beside(number, true),
  };
  svg.addEventListener("click", (event) => {
    if (moved) return;
    const node = event.target.closest(".box");
    choose(node ? Number(node.dataset.box) : null);
  });
  svg.addEventListener("keydown", (event) => {
    const node = event.target.closest(".box");
    if (!node) return;
    const number = Number(node.dataset.box);
    if (event.key === "Enter" || event.key === " ") { event.preventDefault(); choose(number); }
    if (event.key in STEPS) {
      event.preventDefault();
      const next = STEPS[event.key](number);
      if (next !== undefined) rove(next, true);
    }
  });

  // Search.
  const form = document.getElementById("search"), input = form.querySelector("input"), told = form.querySelector("output");
  let hits = [], hit = -1;
  const find = () => {
    const wanted = input.value.trim().toLowerCase();
    hit = -1;
    hits = !wanted ? [] : [...boxes.keys()].filter((number) => boxes[number].name.toLowerCase().includes(wanted)
      || (boxes[number].columns || []).some(([name]) => words[name].toLowerCase().includes(wanted)));
    const found = new Set(hits);
    drawn.forEach((node, number) => node.classList.toggle("found", found.has(number)));
    told.textContent = wanted ? (hits.length ? `${hits.length} found` : "none") : "";
  };
  input.addEventListener("input", find);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (!hits.length) return;
    hit = (hit + 1) % hits.length;
    told.textContent = `${hit + 1} of ${hits.length}`;
    choose(hits[hit]);
  });

  const DO = {
    in: () => zoom(1.25), out: () => zoom(0.8), fit: () => fit(0.02),
    theme: () => {
      const dark = document.documentElement.dataset.theme ? document.documentElement.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
      document.documentElement.dataset.theme = dark ? "light" : "dark";
    },
  };
  for (const button of document.querySelectorAll("#tools button")) button.addEventListener("click", () => DO[button.dataset.do]());
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") { if (document.activeElement === input) { input.value = ""; find(); input.blur(); } choose(null); return; }
    if (event.target === input || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "/") { event.preventDefault(); input.focus(); }
    if (event.key === "+" || event.key === "=") DO.in();
    if (event.key === "-") DO.out();
    if (event.key === "0") DO.fit();
  });
  if (boxes.length) rove(boxes.findIndex((box) => box.kind === "contract"));
  const asked = decodeURIComponent(location.hash.slice(1));
  const named = boxes.findIndex((box) => box.name === asked);
  if (asked && named >= 0) choose(named);
})();
