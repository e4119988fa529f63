// Draws a search: see neurologic.picture. Plain JavaScript, no libraries; every text goes in as text, never as
// HTML. The tree, the clause lanes and the budget share one canvas, which is as wide as the window and draws
// only the steps in sight, so that hundreds of steps stay quick.

const STATES = { 1: "may still come", 2: "broken for good", 3: "holds so far", 4: "holds for good" };
const HUES = [218, 28, 275, 178, 330, 90, 195, 350, 48, 250];
const LANE = 30, CLAUSE = 22, CHART = 84, GAP = 22, MOST_CLAUSES = 16, MOST_GROUPS = 8;
const LEAST_ZOOM = 1.5, FIRST_ZOOM = 76, MOST_ZOOM = 150, LABELS_FROM = 34, READABLE = 56, NARROW = 500, STUBS_FROM = 18;
const FONT = "13px system-ui, sans-serif", SMALL = "11px system-ui, sans-serif";

export function showPicture(root, data) {
  root.replaceChildren();
  root.classList.add("nl-picture");
  const chooser = make("select", { "aria-label": "Search" });
  data.searches.forEach((search, number) => {
    chooser.append(make("option", { value: String(number) }, search.prompt || `input ${search.label}`));
  });
  const body = make("div");
  const open = () => new SearchView(body, data.searches[Number(chooser.value)]);
  chooser.addEventListener("change", open);
  if (data.searches.length > 1) root.append(make("p", {}, make("label", {}, "Search ", chooser)));
  root.append(body);
  return open();
}

// Draw a search that still runs: `grow` takes what each step adds (see neurologic.picture.columns), `finish` the
// whole data. As long as nobody touches it, the picture follows the search.
export function showGrowing(root) {
  let fields = null, view = null;
  return {
    grow(addition) {
      fields = fields ? extended(fields, addition) : { prompt: "", texts: [], marks: {}, ...addition };
      if (view) {
        view.update(fields);
        return;
      }
      const body = make("div");
      root.classList.add("nl-picture");
      root.replaceChildren(body);
      view = new SearchView(body, fields, true);
    },
    // The text of the likeliest hypothesis so far.
    likeliest() {
      return view ? view.search.text(view.search.best) : "";
    },
    finish(data) {
      if (view) view.update(data.searches[0], false);
      else showPicture(root, data);
    },
  };
}

function extended(fields, addition) {
  for (const name of ["groups", "fates", "steps"]) fields[name].push(...addition[name]);
  for (const [number, plan] of addition.plans) fields.nodes.plan[number] = plan;
  for (const [name, column] of Object.entries(addition.nodes)) fields.nodes[name].push(...column);
  return { ...fields, lanes: addition.lanes };
}

function make(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key === "onclick") element.addEventListener("click", value);
    else if (value !== null) element.setAttribute(key, value);
  }
  element.append(...children);
  return element;
}

// -- what the picture knows ----------------------------------------------------------------------------------

class Search {
  constructor(fields) {
    Object.assign(this, fields);
    const { parent, step, alive, ends } = this.nodes;
    this.count = parent.length;
    this.last = this.steps.length;
    this.byStep = Array.from({ length: this.last + 1 }, () => []);
    this.deadOf = new Map();
    this.children = new Map();
    for (let node = 0; node < this.count; node++) {
      if (alive[node]) {
        this.byStep[step[node]].push(node);
        this.add(this.children, parent[node], node);
      } else {
        this.add(this.deadOf, parent[node], node);
      }
    }
    this.best = this.texts.length && this.texts[0].node >= 0 ? this.texts[0].node : this.likeliest();
    // How far the offspring of a node comes; for ever, if a text came out of it.
    this.reach = step.map((own, node) => (alive[node] ? own : -1));
    for (const text of this.texts) if (text.node >= 0) this.reach[text.node] = Infinity;
    for (let node = 0; node < this.count; node++) if (ends[node]) this.reach[node] = Infinity;
    for (let node = this.count - 1; node > 0; node--) {
      this.reach[parent[node]] = Math.max(this.reach[parent[node]], this.reach[node]);
    }
    this.markedBy = this.inheritMarks();
    this.most = this.groups.reduce((most, group) => Math.max(most, group.length), 0);
  }

  add(map, key, value) {
    if (map.has(key)) map.get(key).push(value);
    else map.set(key, [value]);
  }

  likeliest() {
    const { step, logprob, alive } = this.nodes;
    let best = 0;
    for (let node = 0; node < this.count; node++) {
      if (alive[node] && (step[node] > step[best] || (step[node] === step[best] && logprob[node] > logprob[best]))) best = node;
    }
    return best;
  }

  // A text has the marked parts of a text that it became, as far as it is one.
  inheritMarks() {
    const marked = new Array(this.count).fill(-1);
    const leaves = Object.keys(this.marks).map(Number);
    leaves.sort((a, b) => (b === this.best) - (a === this.best));
    for (const leaf of leaves) {
      for (let node = leaf; node >= 0 && marked[node] < 0; node = this.nodes.parent[node]) marked[node] = leaf;
    }
    return marked;
  }

  path(node) {
    const found = [];
    for (; node >= 0; node = this.nodes.parent[node]) found.push(node);
    return found.reverse();
  }

  text(node) {
    return this.path(node).map((place) => this.nodes.piece[place]).join("");
  }

  // The text of a node as elements, its matched parts marked.
  markedText(node, text = this.text(node)) {
    // Positions come from Python, which counts whole characters.
    const characters = Array.from(text);
    const parts = this.markedBy[node] < 0 ? [] : this.marks[this.markedBy[node]];
    const pieces = [];
    let done = 0;
    for (const [start, end, forbidden] of parts) {
      if (end > characters.length) break;
      pieces.push(characters.slice(done, start).join(""));
      pieces.push(make(forbidden ? "del" : "mark", {}, characters.slice(start, end).join("")));
      done = end;
    }
    pieces.push(characters.slice(done).join(""));
    return pieces.filter((piece) => piece !== "");
  }

  word(node) {
    if (node === 0) return "start";
    if (this.nodes.ends[node]) return "end";
    const piece = this.nodes.piece[node];
    return piece.trim() || piece.replaceAll("\n", "↵").replaceAll("\t", "⇥").replaceAll(" ", "␣") || "·";
  }

  groupName(group) {
    const names = this.groups[group].map((clause) => this.clauses[clause]);
    return names.length ? names.join(", ") : "nothing yet";
  }

  colour(group, dark) {
    const size = this.groups[group].length;
    const light = dark ? 68 : 42;
    if (size && size === this.most) return `hsl(145 ${dark ? 50 : 65}% ${dark ? 58 : 32}%)`;
    if (!size) return `hsl(${HUES[0]} ${dark ? 70 : 62}% ${light + 6}%)`;
    const hue = group < HUES.length ? HUES[Math.max(1, group)] : (group * 137.5) % 360;
    return `hsl(${hue} 68% ${light}%)`;
  }

  lives(node, step) {
    return this.reach[node] >= step;
  }
}

// -- the view ------------------------------------------------------------------------------------------------

class SearchView {
  // live: whether the search still runs
  constructor(root, fields, live = false) {
    this.search = new Search(fields);
    this.live = live;
    this.followed = live;
    this.showBest();
    this.zoom = FIRST_ZOOM;
    this.build(root);
    this.resize();
    // In the next frame: a canvas that changes its size while sizes are being told would be told again.
    new ResizeObserver(() => {
      if (this.scroll.clientWidth !== this.width) requestAnimationFrame(() => this.resize());
    }).observe(this.scroll);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
      this.fillLegend();
      this.refresh();
    });
    this.fitOnce();
  }

  showBest() {
    this.selected = this.search.best;
    this.step = Math.max(1, this.search.nodes.step[this.selected]);
    this.shownClauses = this.changingClauses();
  }

  // Show a search that has gone on, or is over. Its nodes keep their numbers.
  update(fields, live = true) {
    this.search = new Search(fields);
    this.live = live;
    this.shownClauses = this.changingClauses();
    if (this.followed) this.showBest();
    this.slider.max = String(this.search.last);
    this.slider.value = String(this.step);
    this.fillLegend();
    this.resize();
    if (!live && this.followed) this.fitOnce();
    else if (this.followed) this.intoView(this.step);
    this.refresh();
  }

  // With many clauses, show those whose state changes somewhere first.
  changingClauses() {
    const { states } = this.search.nodes;
    const numbers = this.search.clauses.map((_, clause) => clause);
    if (numbers.length <= MOST_CLAUSES) return numbers;
    const changes = (clause) => states.some((own) => own[clause] !== states[0][clause]);
    return numbers.sort((a, b) => changes(b) - changes(a)).slice(0, MOST_CLAUSES).sort((a, b) => a - b);
  }

  build(root) {
    const search = this.search;
    this.canvas = make("canvas", { role: "img" });
    this.wide = make("div", {}, this.canvas);
    this.scroll = make("div", { class: "nl-scroll", tabindex: "0", role: "group", "aria-label": this.summary() }, this.wide);
    this.tip = make("div", { class: "nl-tip", hidden: "" });
    this.slider = make("input", { type: "range", min: "1", max: String(search.last), value: String(this.step), "aria-label": "Step" });
    this.stepName = make("output", { class: "nl-step-name" });
    this.story = make("section", { "aria-label": "What happened in this step" });
    this.detail = make("section", { class: "nl-hypothesis", "aria-label": "The chosen hypothesis" });
    this.news = make("p", { class: "nl-hidden", "aria-live": "polite" });
    this.texts = make("ol", { class: "nl-texts", "aria-label": "Texts that came out, best first" });
    this.legend = make("ul", { class: "nl-legend", "aria-label": "Legend" });
    this.fillLegend();
    const zoomed = (factor) => () => this.setZoom(this.zoom * factor);
    root.replaceChildren(
      ...(search.prompt ? [make("p", { class: "nl-prompt" }, search.prompt)] : []),
      this.texts,
      make("p", { class: "nl-why" }, "Columns are steps, lines are the texts that the search tried. A colour tells which clauses hold for good, grey is a dead end. Move the slider to watch it decide, choose a word for its story."),
      make("div", { class: "nl-bar" },
        make("button", { type: "button", "aria-label": "Step back", onclick: () => this.setStep(this.step - 1) }, "◀"),
        make("button", { type: "button", "aria-label": "Step on", onclick: () => this.setStep(this.step + 1) }, "▶"),
        make("label", {}, this.stepName, this.slider),
        make("span", {},
          make("button", { type: "button", "aria-label": "Smaller", onclick: zoomed(1 / 1.5) }, "−"), " ",
          make("button", { type: "button", "aria-label": "Larger", onclick: zoomed(1.5) }, "+"), " ",
          make("button", { type: "button", onclick: () => this.fit() }, "Fit"))),
      make("div", { class: "nl-columns" },
        make("div", {}, make("div", { class: "nl-frame" }, this.scroll, this.tip), this.legend),
        make("div", { class: "nl-side" }, this.detail, this.story)),
      this.news,
    );
    this.listen();
  }

  summary() {
    const { lanes, last, texts } = this.search;
    const best = texts.length ? ` The text: ${texts[0].text}` : "";
    return `Tree of the search: ${last} steps, up to ${lanes} texts at a time. Arrow keys go from text to text.${best}`;
  }

  listen() {
    this.slider.addEventListener("input", () => this.setStep(Number(this.slider.value)));
    this.scroll.addEventListener("scroll", () => this.later());
    this.scroll.addEventListener("keydown", (event) => this.key(event));
    this.canvas.addEventListener("pointermove", (event) => this.hover(event));
    this.canvas.addEventListener("pointerleave", () => { this.tip.hidden = true; });
    this.canvas.addEventListener("click", (event) => {
      const node = this.nodeAt(event);
      if (node >= 0) this.select(node);
      else if (this.stepAt(event) >= 1) this.setStep(this.stepAt(event));
    });
  }

  fillLegend() {
    const search = this.search;
    const count = new Map();
    search.nodes.group.forEach((group, node) => search.nodes.alive[node] && count.set(group, (count.get(group) || 0) + 1));
    const groups = [...count.keys()].sort((a, b) => count.get(b) - count.get(a)).slice(0, MOST_GROUPS).sort((a, b) => a - b);
    const items = groups.map((group) => make("li", {}, this.swatch(group), `satisfied: ${search.groupName(group)}`));
    if (count.size > groups.length) items.push(make("li", {}, `and ${count.size - groups.length} more groups`));
    const key = (sign, words) => make("li", {}, make("span", { class: "nl-key", "aria-hidden": "true" }, sign), words);
    items.push(make("li", {}, make("span", { class: "nl-swatch" }), "dead end; a dot is a dropped candidate"));
    items.push(key("▲", "forced by the budget"), key("■", "finished text"));
    items.push(key("▁▄█", "a clause may still come (S1), holds so far (S3), holds for good (S4); × broken (S2)"));
    this.legend.replaceChildren(...items);
  }

  swatch(group) {
    const swatch = make("span", { class: "nl-swatch", "aria-hidden": "true" });
    swatch.style.background = this.search.colour(group, isDark());
    return swatch;
  }

  // -- moving about --

  setStep(step) {
    this.followed = false;
    this.step = Math.min(this.search.last, Math.max(1, step));
    this.slider.value = String(this.step);
    this.intoView(this.step);
    this.refresh();
  }

  select(node) {
    this.followed = false;
    this.selected = node;
    const step = this.search.nodes.step[node];
    this.intoView(step);
    this.refresh();
    this.news.textContent = this.tipText(node);
  }

  setZoom(zoom) {
    const middle = this.scroll.scrollLeft + (this.width - this.gutter) / 2;
    const share = middle / (this.zoom * (this.search.last + 1));
    this.zoom = Math.min(MOST_ZOOM, Math.max(LEAST_ZOOM, zoom));
    this.resize();
    this.scroll.scrollLeft = share * this.zoom * (this.search.last + 1) - (this.width - this.gutter) / 2;
  }

  fit() {
    this.setZoom((this.width - this.gutter - 24) / (this.search.last + 1));
    this.scroll.scrollLeft = 0;
  }

  // A short search fills the frame when it is over; a long one starts at its beginning.
  fitOnce() {
    if (this.width < NARROW) this.setZoom(READABLE);
    const wanted = (this.width - this.gutter - 24) / (this.search.last + 1);
    if (!this.live && wanted > FIRST_ZOOM) this.setZoom(Math.min(wanted, 110));
    this.scroll.scrollLeft = 0;
    this.refresh();
  }

  intoView(step) {
    const x = this.x(step);
    if (x < this.gutter + this.zoom || x > this.width - this.zoom) {
      this.scroll.scrollLeft += x - (this.width + this.gutter) / 2;
    }
  }

  key(event) {
    const { nodes, byStep, children } = this.search;
    const step = nodes.step[this.selected];
    const beside = (direction) => {
      const column = byStep[step].filter((node) => nodes.alive[node]).sort((a, b) => nodes.lane[a] - nodes.lane[b]);
      return column[column.indexOf(this.selected) + direction];
    };
    const onward = () => (children.get(this.selected) || []).slice().sort((a, b) => this.search.reach[b] - this.search.reach[a])[0];
    const moves = {
      ArrowLeft: () => nodes.parent[this.selected], ArrowRight: onward,
      ArrowUp: () => beside(-1), ArrowDown: () => beside(1), Home: () => 0, End: () => this.search.best,
    };
    if (!moves[event.key] || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    const node = moves[event.key]();
    if (node !== undefined && node >= 0) this.select(node);
  }

  // -- panels --

  refresh() {
    this.stepName.textContent = `Step ${this.step} of ${this.search.last}`;
    this.slider.setAttribute("aria-valuetext", `step ${this.step} of ${this.search.last}`);
    this.showTexts();
    this.showStory();
    this.showDetail();
    this.canvas.setAttribute("aria-label", this.summary());
    this.later();
  }

  showTexts() {
    this.texts.replaceChildren(...this.search.texts.slice(0, 10).map((text) => {
      const own = text.node >= 0 ? this.search.markedText(text.node) : [text.text];
      const verdict = make("span", { class: "nl-hidden" }, text.satisfied ? "satisfied: " : "not satisfied: ");
      return make("li", {}, make("button", {
        type: "button", "aria-pressed": String(text.node === this.selected),
        onclick: () => text.node >= 0 && this.select(text.node),
      }, make("span", { "aria-hidden": "true" }, text.satisfied ? "✓ " : "✗ "), verdict, ...own));
    }));
  }

  nodeButton(node) {
    const { nodes } = this.search;
    const before = this.search.text(nodes.parent[node]);
    const start = before.length > 18 ? `…${before.slice(-17)}` : before.trimStart();
    const swatch = nodes.alive[node] ? this.swatch(nodes.group[node]) : make("span", { class: "nl-swatch", "aria-hidden": "true" });
    const ending = nodes.ends[node] ? " ■" : nodes.piece[node] || "·";
    return make("button", {
      type: "button", class: "nl-node", "aria-pressed": String(node === this.selected), onclick: () => this.select(node),
    }, swatch, make("span", {}, start, make("b", {}, ending)), make("small", {}, percent(nodes.chance[node])));
  }

  showStory() {
    const { nodes, steps, fates } = this.search;
    const step = steps[this.step - 1];
    const here = [];
    for (const parent of this.step === 1 ? [0] : this.search.byStep[this.step - 1]) {
      here.push(...(this.search.children.get(parent) || []), ...(this.search.deadOf.get(parent) || []));
    }
    const named = (node) => (nodes.fate[node] < 0 ? "" : fates[nodes.fate[node]].name);
    const listed = Object.values(step.fates).reduce((sum, count) => sum + count, 0);
    const survived = step.groups.reduce((sum, group) => sum + group[3], 0);
    const late = ["same text", "dominated", "not selected", "selected", "finished"];
    const dropped = (names) => fates.filter((fate) => step.fates[fate.name] && names(fate.name)).map((fate) => make("li", {},
      `${step.fates[fate.name]} × ${fate.name} `, make("span", { class: "nl-why" }, fate.why), make("br"),
      ...here.filter((node) => named(node) === fate.name).map((node) => this.nodeButton(node))));
    const groups = step.groups.map(([group, inside, closes, survivors, selected]) => make("li", {},
      this.swatch(group), ` ${this.search.groupName(group)}`, inside ? " · inside a phrase" : "", closes ? " · ends a sentence" : "",
      make("span", { class: "nl-why" }, ` ${survivors} → ${selected}`)));
    const chosen = here.filter((node) => nodes.alive[node]).sort((a, b) => nodes.score[b] - nodes.score[a]);
    this.story.replaceChildren(
      make("h3", {}, `Step ${this.step}`),
      make("ol", { class: "nl-story" },
        make("li", {}, make("b", {}, "Prune. "), `${listed} candidates listed, ${survived} survive.`,
          make("ul", {}, ...dropped((name) => !late.includes(name)))),
        make("li", {}, make("b", {}, "Group "), `by the clauses that hold for good: ${count(step.groups.length, "group")}.`, make("ul", {}, ...groups)),
        make("li", {}, make("b", {}, "Select "), `from the groups in turn: ${chosen.length}.`, make("div", {}, ...chosen.map((node) => this.nodeButton(node))),
          make("ul", {}, ...dropped((name) => late.slice(0, 3).includes(name))))),
    );
  }

  showDetail() {
    const { search } = this;
    const { nodes } = search;
    const node = this.selected;
    const fact = (name, value) => [make("dt", {}, name), make("dd", {}, value)];
    const fate = nodes.fate[node] < 0 ? "start" : search.fates[nodes.fate[node]].why;
    const step = nodes.step[node];
    const facts = [
      ...fact("last token", `“${search.word(node)}”, ${percent(nodes.chance[node])}${nodes.forced[node] ? ", forced by the budget" : ""}`),
      ...fact("log-likelihood", `${nodes.logprob[node]} (ranked by ${nodes.score[node]})`),
      ...fact("for good", search.groupName(nodes.group[node])),
    ];
    if (nodes.plan[node] !== null && step < search.last) {
      facts.push(...fact("budget", `needs ${nodes.plan[node]} of ${this.leftAfter(step)} tokens left`));
    }
    facts.push(...fact("fate", fate));
    const rows = this.shownClauses.map((clause) => make("tr", {},
      make("td", {}, search.clauses[clause]), make("td", {}, stateName(nodes.states[node][clause]))));
    const more = search.clauses.length - this.shownClauses.length;
    this.detail.replaceChildren(
      make("h3", {}, `Hypothesis, ${count(step, "token")}`),
      make("p", {}, ...(node ? search.markedText(node) : ["(nothing yet)"])),
      make("dl", { class: "nl-facts" }, ...facts),
      ...(rows.length ? [make("table", {}, make("thead", {}, make("tr", {}, make("th", {}, "clause"), make("th", {}, "state"))), make("tbody", {}, ...rows))] : []),
      ...(more > 0 ? [make("p", { class: "nl-why" }, `and ${count(more, "clause")} more`)] : []),
    );
  }

  leftAfter(step) {
    if (step === 0) return this.search.steps[0].left + 1;
    return this.search.steps[step - 1].left;
  }

  // -- the canvas --

  get gutter() { return Math.round(Math.min(150, Math.max(76, this.width * 0.16))); }
  get treeBottom() { return GAP + this.search.lanes * LANE; }
  get clausesTop() { return this.treeBottom + GAP; }
  get chartTop() { return this.clausesTop + this.shownClauses.length * CLAUSE + GAP; }
  get height() { return this.chartTop + CHART + 12; }
  x(step) { return this.gutter + 14 + (step + 0.5) * this.zoom - this.scroll.scrollLeft; }
  y(node) { return GAP + (this.search.nodes.lane[node] + 0.5) * LANE; }

  resize() {
    this.width = Math.max(200, this.scroll.clientWidth);
    const scale = Math.min(3, window.devicePixelRatio || 1);
    this.canvas.width = Math.round(this.width * scale);
    this.canvas.height = Math.round(this.height * scale);
    this.canvas.style.width = `${this.width}px`;
    this.canvas.style.height = `${this.height}px`;
    this.wide.style.width = `${Math.max(this.width, this.gutter + 40 + (this.search.last + 1) * this.zoom)}px`;
    this.scale = scale;
    this.later();
  }

  later() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => { this.waiting = false; this.draw(); });
  }

  draw() {
    const context = this.canvas.getContext("2d");
    const style = getComputedStyle(this.canvas.closest(".nl-picture"));
    this.ink = (name) => style.getPropertyValue(`--${name}`).trim();
    this.dark = isDark();
    this.onPath = new Set(this.search.path(this.selected));
    context.setTransform(this.scale, 0, 0, this.scale, 0, 0);
    context.clearRect(0, 0, this.width, this.height);
    context.save();
    context.beginPath();
    context.rect(this.gutter, 0, this.width - this.gutter, this.height);
    context.clip();
    const first = Math.max(0, Math.floor((this.scroll.scrollLeft - 14) / this.zoom) - 1);
    const last = Math.min(this.search.last, Math.ceil((this.scroll.scrollLeft + this.width) / this.zoom));
    this.drawColumns(context, first, last);
    for (let step = Math.max(1, first); step <= last; step++) for (const node of this.search.byStep[step]) this.drawEdge(context, node);
    if (this.zoom >= STUBS_FROM) for (let step = first; step <= Math.min(last, this.step - 1); step++) for (const node of this.search.byStep[step]) this.drawStubs(context, node);
    for (let step = first; step <= last; step++) for (const node of this.search.byStep[step]) this.drawNode(context, node);
    this.drawClauses(context, first, last);
    this.drawBudget(context, first, last);
    context.restore();
    this.drawNames(context);
  }

  drawColumns(context, first, last) {
    context.fillStyle = this.ink("now");
    context.fillRect(this.x(this.step) - this.zoom / 2, 0, this.zoom, this.height);
    context.fillStyle = this.ink("soft");
    context.font = SMALL;
    context.textAlign = "center";
    const every = Math.max(1, Math.ceil(26 / this.zoom));
    for (let step = Math.max(1, first); step <= last; step++) {
      const hidden = step !== this.step && Math.abs(step - this.step) < every;  // the current number needs the room
      if (step === this.step || (step % every === 0 && !hidden)) context.fillText(String(step), this.x(step), 14);
    }
  }

  nodeColour(node) {
    if (node && !this.search.lives(node, this.step) && this.search.nodes.step[node] <= this.step) return this.ink("dead");
    return this.search.colour(this.search.nodes.group[node], this.dark);
  }

  drawEdge(context, node) {
    const { parent, step } = this.search.nodes;
    const [fromX, fromY, toX, toY] = [this.x(step[node] - 1), this.y(parent[node]), this.x(step[node]), this.y(node)];
    context.strokeStyle = this.nodeColour(node);
    // From far away, dead ends are a shade behind what lives.
    const dead = this.zoom < STUBS_FROM && !this.search.lives(node, this.step) ? Math.max(0.12, this.zoom / STUBS_FROM / 2) : 1;
    context.globalAlpha = step[node] > this.step ? 0.25 : dead;
    context.lineWidth = this.onPath.has(node) ? 3.5 : 1.4;
    context.beginPath();
    context.moveTo(fromX, fromY);
    if (fromY === toY) context.lineTo(toX, toY);
    else context.bezierCurveTo(fromX + this.zoom * 0.5, fromY, toX - this.zoom * 0.5, toY, toX, toY);
    context.stroke();
    context.globalAlpha = 1;
  }

  // Where the dots of the candidates are that were dropped after a node.
  stubs(node) {
    const dead = this.search.deadOf.get(node) || [];
    const { step } = this.search.nodes;
    return dead.slice(0, 8).map((one, place) => {
      const side = place % 2 ? 1 : -1;
      const reach = 0.62 + 0.07 * Math.floor(place / 2);
      return [one, this.x(step[node]) + this.zoom * reach, this.y(node) + side * (8 + 1.5 * Math.floor(place / 2))];
    });
  }

  drawStubs(context, node) {
    context.strokeStyle = context.fillStyle = this.ink("dead");
    context.lineWidth = 0.8;
    for (const [one, x, y] of this.stubs(node)) {
      context.globalAlpha = this.search.nodes.step[one] === this.step ? 1 : 0.55;
      context.beginPath();
      context.moveTo(this.x(this.search.nodes.step[node]), this.y(node));
      context.lineTo(x, y);
      context.stroke();
      context.beginPath();
      context.arc(x, y, one === this.selected ? 4 : 2, 0, 7);
      context.fill();
    }
    context.globalAlpha = 1;
  }

  drawNode(context, node) {
    const { step, ends, forced } = this.search.nodes;
    const [x, y, colour] = [this.x(step[node]), this.y(node), this.nodeColour(node)];
    const far = this.zoom < STUBS_FROM && !this.search.lives(node, this.step);
    context.globalAlpha = step[node] > this.step || far ? 0.35 : 1;
    context.lineWidth = node === this.selected ? 3 : 1.5;
    context.strokeStyle = colour;
    if (this.zoom < LABELS_FROM) {
      context.fillStyle = colour;
      const size = Math.min(4.5, Math.max(1.5, this.zoom / 5)) + (node === this.selected ? 2 : 0);
      context.beginPath();
      if (ends[node]) context.rect(x - size, y - size, 2 * size, 2 * size);
      else context.arc(x, y, size, 0, 7);
      context.fill();
    } else {
      this.drawChip(context, node, x, y, colour);
    }
    if (forced[node]) {
      context.fillStyle = this.ink("forced");
      triangle(context, x, y - 12, 4.5);
    }
    context.globalAlpha = 1;
  }

  drawChip(context, node, x, y, colour) {
    const ends = this.search.nodes.ends[node];
    context.font = this.onPath.has(node) ? `600 ${FONT}` : FONT;
    const room = this.zoom - 12;
    const words = ends ? "■" : clipped(context, this.search.word(node), room - 8);
    const width = Math.min(room, Math.max(14, context.measureText(words).width + 10));
    context.fillStyle = this.ink("paper");
    context.beginPath();
    context.roundRect(x - width / 2, y - 10, width, 20, 6);
    context.fill();
    context.fillStyle = colour;
    const alpha = context.globalAlpha;
    context.globalAlpha = alpha * (this.onPath.has(node) ? 0.3 : 0.13);
    context.fill();
    context.globalAlpha = alpha;
    context.stroke();
    context.fillStyle = ends ? colour : this.search.lives(node, this.step) || this.search.nodes.step[node] > this.step ? this.ink("ink") : this.ink("soft");
    context.textAlign = "center";
    context.fillText(words, x, y + 4.5);
  }

  drawClauses(context, first, last) {
    const path = this.search.path(this.selected);
    const { states } = this.search.nodes;
    const heights = { 1: 0.16, 2: 1, 3: 0.5, 4: 1 };
    this.shownClauses.forEach((clause, row) => {
      const bottom = this.clausesTop + (row + 1) * CLAUSE - 3;
      for (let step = first; step <= Math.min(last, path.length - 1); step++) {
        const state = states[path[step]][clause];
        if (!state) continue;
        const height = (CLAUSE - 7) * heights[state];
        context.fillStyle = this.ink(`s${state}`);
        context.globalAlpha = step > this.step ? 0.35 : 1;
        const gap = this.zoom > 12 ? 1 : 0;
        context.fillRect(this.x(step) - this.zoom / 2, bottom - height, this.zoom - gap, height);
        if (state === "2") {
          context.fillStyle = this.ink("paper");
          context.font = SMALL;
          context.textAlign = "center";
          context.fillText("×", this.x(step), bottom - 4);
        }
      }
      context.globalAlpha = 1;
    });
  }

  drawBudget(context, first, last) {
    const path = this.search.path(this.selected);
    const { plan, forced } = this.search.nodes;
    const most = Math.max(1, this.leftAfter(0));
    const y = (tokens) => this.chartTop + CHART * (1 - Math.max(0, tokens) / most);
    context.strokeStyle = this.ink("line");
    context.lineWidth = 1;
    context.strokeRect(this.gutter - 1, this.chartTop, this.width, CHART);
    for (let step = first; step <= Math.min(last, path.length - 1); step++) {
      const need = plan[path[step]];
      if (need !== null) {
        context.fillStyle = this.ink("plan");
        context.globalAlpha = 0.75;
        context.fillRect(this.x(step) - this.zoom * 0.36, y(need), this.zoom * 0.72, Math.max(need ? 2 : 0, this.chartTop + CHART - y(need)));
        context.globalAlpha = 1;
      }
      if (forced[path[step]]) {
        context.fillStyle = this.ink("forced");
        triangle(context, this.x(step), this.chartTop + 8, 5);
      }
    }
    context.strokeStyle = this.ink("ink");
    context.lineWidth = 1.5;
    context.beginPath();
    for (let step = first; step <= last; step++) {
      const [x, height] = [this.x(step), y(this.leftAfter(step))];
      if (step === first) context.moveTo(x, height);
      else context.lineTo(x, height);
    }
    context.stroke();
  }

  drawNames(context) {
    const room = this.gutter - 14;
    context.textAlign = "left";
    context.fillStyle = this.ink("soft");
    context.font = SMALL;
    context.fillText("step", 8, 14);
    context.fillText(clipped(context, "clauses of the chosen text", this.gutter + 100), 8, this.clausesTop - 7);
    context.fillText(`tokens: ${this.leftAfter(0)}`, 8, this.chartTop + 10);
    context.fillText("― left", 8, this.chartTop + 28);
    context.fillStyle = this.ink("plan");
    context.fillText("■ needed", 8, this.chartTop + 44);
    context.fillStyle = this.ink("ink");
    context.font = FONT;
    this.shownClauses.forEach((clause, row) => {
      context.fillText(clipped(context, this.search.clauses[clause], room), 8, this.clausesTop + (row + 1) * CLAUSE - 6);
    });
  }

  // -- the pointer --

  stepAt(event) {
    return Math.round((event.offsetX + this.scroll.scrollLeft - this.gutter - 14) / this.zoom - 0.5);
  }

  nodeAt(event) {
    const step = this.stepAt(event);
    if (event.offsetX < this.gutter || step < 0 || step > this.search.last) return -1;
    for (const node of [...this.search.byStep[step], ...(this.search.byStep[step - 1] || [])]) {
      for (const [dead, x, y] of this.zoom >= STUBS_FROM ? this.stubs(node) : []) {
        if (Math.hypot(event.offsetX - x, event.offsetY - y) < 6) return dead;
      }
    }
    const close = this.search.byStep[step].find((node) => Math.abs(this.y(node) - event.offsetY) < LANE / 2);
    return close === undefined ? -1 : close;
  }

  tipText(node) {
    const { nodes, fates } = this.search;
    const states = this.shownClauses.map((clause) => `${this.search.clauses[clause]}: S${nodes.states[node][clause]}`);
    return [
      `“${this.search.word(node)}” ${percent(nodes.chance[node])}, step ${nodes.step[node]}`,
      nodes.forced[node] ? "forced by the budget" : "",
      nodes.fate[node] < 0 ? "" : fates[nodes.fate[node]].why,
      states.slice(0, 8).join("\n"),
    ].filter(Boolean).join("\n");
  }

  hover(event) {
    const node = this.nodeAt(event);
    this.tip.hidden = node < 0;
    if (node < 0) return;
    this.tip.textContent = this.tipText(node);
    const left = Math.min(event.offsetX + 14, this.width - this.tip.offsetWidth - 8);
    this.tip.style.left = `${Math.max(4, left)}px`;
    this.tip.style.top = `${Math.max(4, Math.min(event.offsetY + 16, this.height - this.tip.offsetHeight - 8))}px`;
  }
}

// -- small things --------------------------------------------------------------------------------------------

function isDark() {
  return matchMedia("(prefers-color-scheme: dark)").matches;
}

function stateName(digit) {
  return digit ? `S${digit}, ${STATES[digit]}` : "–";
}

function percent(chance) {
  if (chance >= 0.995) return "100%";
  return chance >= 0.01 ? `${Math.round(chance * 100)}%` : `${(chance * 100).toPrecision(1)}%`;
}

function count(number, noun) {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}

function clipped(context, text, room) {
  if (context.measureText(text).width <= room) return text;
  let end = Math.min(text.length, 60);
  while (end > 1 && context.measureText(`${text.slice(0, end)}…`).width > room) end--;
  return `${text.slice(0, end)}…`;
}

function triangle(context, x, y, size) {
  context.beginPath();
  context.moveTo(x - size, y + size);
  context.lineTo(x + size, y + size);
  context.lineTo(x, y - size);
  context.fill();
}
