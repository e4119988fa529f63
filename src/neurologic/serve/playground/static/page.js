// The playground: ask the server about a formula while it is typed, then for texts, and show them. Every text
// goes in as text, never as HTML.
import { DECODERS, EXAMPLES } from "./examples.js";
import { showPicture } from "./picture/picture.js";

const TYPING = 250, RETRY = 2000, LOADING = 503;
const FIELDS = ["prompt", "formula", "decoder", "num_beams", "max_tokens", "n", "temperature", "alpha", "beta", "lambda_", "hint", "seed", "compare", "picture", "raw"];
const NUMBERS = ["num_beams", "max_tokens", "n", "temperature", "alpha", "beta", "lambda_", "seed"];
const OWN_NUMBERS = ["num_beams", "alpha", "beta", "lambda_"];
const CONSTRAINED = ["neurologic", "astar"];
const ONE_TEXT_AT_A_TIME = ["greedy", "top-k", "top-p"];
const byId = (id) => document.getElementById(id);

function make(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key === "onclick") element.addEventListener("click", value);
    else element.setAttribute(key, value);
  }
  element.append(...children);
  return element;
}

async function post(path, body, signal) {
  const response = await fetch(path, {
    method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body), signal,
  });
  if (!response.ok) {
    const answer = await response.json().catch(() => ({}));
    const error = new Error(answer.error ? answer.error.message : `the server answered ${response.status}`);
    throw Object.assign(error, { status: response.status });
  }
  return response;
}

// -- what is on the page -------------------------------------------------------------------------------------

function values() {
  const found = {};
  for (const name of FIELDS) {
    const field = byId(name);
    if (field.type === "checkbox") found[name] = field.checked;
    else if (NUMBERS.includes(name)) found[name] = field.value === "" ? null : Number(field.value);
    else found[name] = field.value;
  }
  return found;
}

function fill(given) {
  for (const name of FIELDS) {
    if (given[name] === undefined) continue;
    const field = byId(name);
    if (field.type === "checkbox") field.checked = given[name] === true;
    else field.value = given[name] === null ? "" : String(given[name]);
  }
  look();
}

function linkTo(given) {
  const bytes = new TextEncoder().encode(JSON.stringify(given));
  const text = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  const url = new URL(location.href);
  url.hash = btoa(text).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
  return url.href;
}

function fromLink() {
  if (location.hash.length < 2) return null;
  try {
    const text = atob(location.hash.slice(1).replaceAll("-", "+").replaceAll("_", "/"));
    const given = JSON.parse(new TextDecoder().decode(Uint8Array.from(text, (character) => character.charCodeAt(0))));
    return typeof given === "object" ? given : null;
  } catch {
    return null;
  }
}

// -- the formula while it is typed ---------------------------------------------------------------------------

let typing = 0;
let asked = 0;

// Analyse a formula; as long as the server loads its model, ask again.
async function analysisOf(formula) {
  for (;;) {
    try {
      return await (await post("v1/explain", { formula })).json();
    } catch (error) {
      if (error.status !== LOADING) throw error;
      byId("verdict").textContent = error.message;
      await new Promise((done) => { setTimeout(done, RETRY); });
    }
  }
}

function look() {
  asked += 1;  // an answer that is on its way is not about this formula
  underline(-1);
  byId("verdict").setAttribute("aria-busy", "true");
  clearTimeout(typing);
  typing = setTimeout(explain, TYPING);
}

async function explain() {
  const formula = byId("formula").value;
  const number = ++asked;
  if (!formula.trim()) {
    showAnalysis({ valid: true, clauses: [] }, "No formula: the text is free.");
    return;
  }
  let analysis;
  try {
    analysis = await analysisOf(formula);
  } catch (error) {
    analysis = { valid: false, error: { message: error.message } };
  }
  if (number === asked) showAnalysis(analysis);
}

function showAnalysis(analysis, words = "") {
  const { error, contradiction, unspellable, cost } = analysis;
  const message = error ? error.message.split("\n")[0].replace(/^(formula: )?formula, /, "") : contradiction ? contradiction.message : unspellable;
  const verdict = byId("verdict");
  verdict.setAttribute("aria-busy", "false");
  verdict.classList.toggle("wrong", Boolean(message));
  verdict.textContent = message || words || summary(analysis, cost);
  byId("formula").setAttribute("aria-invalid", String(Boolean(message)));
  underline(error && error.line ? offsetOf(byId("formula").value, error.line, error.column) : -1);
  byId("clauses").replaceChildren(...(analysis.clauses || []).map(clauseItem));
}

function summary(analysis, cost) {
  const clauses = `${analysis.clauses.length} ${analysis.clauses.length === 1 ? "clause" : "clauses"}`;
  const tokens = cost && typeof cost.upper_bound === "number" ? `; ${cost.upper_bound} tokens are enough to satisfy them` : "";
  return `${clauses}${tokens}.`;
}

function clauseItem(clause) {
  const forms = clause.literals.map((literal) => `${literal.positive ? "" : "not "}${literal.phrase || literal.predicate || literal.text || ""}`);
  const shown = forms.slice(0, 12).join(", ") + (forms.length > 12 ? ` and ${forms.length - 12} more` : "");
  const same = forms.length === 1 && clause.clause.replace(/^!/, "not ").replaceAll('"', "") === forms[0];
  return make("li", {}, make("code", {}, clause.clause), ` ${clause.state}`, ...(same ? [] : [make("small", {}, shown)]));
}

// Lines and columns count from 1, and whole characters.
function offsetOf(text, line, column) {
  const lines = text.split("\n");
  const before = lines.slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0);
  return before + Array.from(lines[line - 1] || "").slice(0, column - 1).join("").length;
}

function underline(offset) {
  const text = byId("formula").value;
  const backdrop = byId("backdrop");
  if (offset < 0) {
    backdrop.replaceChildren();
    return;
  }
  const end = offset < text.length ? offset + (Array.from(text.slice(offset))[0] || "").length : offset;
  backdrop.replaceChildren(text.slice(0, offset), make("span", {}, text.slice(offset, end) || "\u00a0"), text.slice(end));
  backdrop.scrollTop = byId("formula").scrollTop;
}

// -- texts ---------------------------------------------------------------------------------------------------

function bodyOf(given, decoder, extras) {
  const neurologic = { decoder, highlights: true, ...extras };
  if (given.formula.trim()) neurologic.formula = given.formula;
  if (!CONSTRAINED.includes(decoder)) neurologic.reduce = true;
  for (const name of OWN_NUMBERS) {
    const fits = name === "num_beams" ? !ONE_TEXT_AT_A_TIME.includes(decoder) : CONSTRAINED.includes(decoder);
    if (fits && given[name] !== null) neurologic[name] = given[name];
  }
  if (neurologic.num_beams && given.n > neurologic.num_beams) neurologic.num_beams = given.n;
  if (given.hint && CONSTRAINED.includes(decoder)) neurologic.hint = given.hint;
  const body = given.raw ? { prompt: given.prompt } : { messages: [{ role: "user", content: given.prompt }] };
  for (const name of ["max_tokens", "seed"]) if (given[name] !== null) body[name] = given[name];
  if (given.temperature && decoder !== "beam") body.temperature = given.temperature;
  return { ...body, neurologic };
}

let running = null;

async function generate() {
  if (running) running.abort();
  const own = new AbortController();
  running = own;
  const given = values();
  history.replaceState(null, "", linkTo(given));
  for (const id of ["answer", "plain", "search"]) byId(id).hidden = true;
  busy(true);
  const started = performance.now();
  try {
    await ask("answer", { ...bodyOf(given, given.decoder, { picture: given.picture }), n: given.n || 1 }, given, own.signal);
    if (given.compare && given.decoder !== "beam") {
      say("now plain beam search …");
      await ask("plain", bodyOf({ ...given, temperature: 0 }, "beam", {}), given, own.signal);
    }
    say(`done in ${((performance.now() - started) / 1000).toFixed(1)} s`);
  } catch (error) {
    if (running === own) say(own.signal.aborted ? "stopped" : error.message, !own.signal.aborted);
  } finally {
    if (running === own) busy(false);
  }
}

function busy(is) {
  byId("stop").hidden = !is;
  if (is) say("searching …");
  else running = null;
}

function say(words, wrong = false) {
  byId("status").textContent = words;
  byId("status").classList.toggle("wrong", wrong);
}

// Ask for texts as a stream: what is certain shows before the search is over.
async function ask(id, body, given, signal) {
  const path = given.raw ? "v1/completions" : "v1/chat/completions";
  const response = await post(path, { ...body, stream: true }, signal);
  const section = byId(id);
  const place = section.querySelector("div");
  const growing = make("p", { class: "text certain" }, "…");
  place.replaceChildren(growing);
  section.hidden = false;
  const texts = [];
  const verdicts = [];
  for await (const event of eventsOf(response)) {
    if (event.error) throw new Error(event.error.message);
    for (const choice of event.choices) {
      const added = choice.delta ? choice.delta.content : choice.text;
      texts[choice.index] = (texts[choice.index] || "") + (added || "");
      if (choice.neurologic) verdicts[choice.index] = choice.neurologic;
    }
    if (texts[0]) growing.textContent = `${texts[0]} …`;
  }
  show(place, texts, verdicts);
  const drawn = verdicts.find((verdict) => verdict && verdict.picture);
  if (drawn) {
    byId("search").hidden = false;
    showPicture(byId("drawing"), drawn.picture);
  }
}

async function* eventsOf(response) {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    rest += value;
    const events = rest.split("\n\n");
    rest = events.pop();
    for (const event of events) {
      const data = event.replace(/^data: /, "");
      if (data && data !== "[DONE]") yield JSON.parse(data);
    }
  }
}

function show(place, texts, verdicts) {
  const answers = texts.map((text, index) => answerOf(text, verdicts[index]));
  if (answers.length === 1) place.replaceChildren(...answers[0]);
  else place.replaceChildren(make("ol", { class: "best", "aria-label": "Texts, best first" }, ...answers.map((parts) => make("li", {}, ...parts))));
}

function answerOf(text, verdict) {
  const parts = [make("p", { class: "text" }, ...highlighted(text, verdict ? verdict.highlights : []))];
  if (!verdict) return parts;
  if (verdict.clauses.length) parts.push(clauseTable(verdict.clauses));
  const notes = [`score ${verdict.score.toFixed(2)}`];
  if (verdict.forced) notes.push(`${verdict.forced} forced`);
  if (verdict.marks.length) notes.push(`marks: ${verdict.marks.map((mark) => mark.kind).join(", ")}`);
  parts.push(make("p", { class: "note" }, notes.join(" · ")));
  for (const { wish, met } of verdict.wishes || []) parts.push(make("p", { class: "note" }, `wish ${met ? "met" : "not met"}: ${wish}`));
  for (const warning of verdict.warnings) parts.push(make("p", { class: "note" }, warning));
  return parts;
}

// Positions count whole characters.
function highlighted(text, places) {
  const characters = Array.from(text);
  const parts = [];
  let done = 0;
  for (const [start, end, forbidden] of places || []) {
    parts.push(characters.slice(done, start).join(""));
    parts.push(make(forbidden ? "del" : "mark", {}, characters.slice(start, end).join("")));
    done = end;
  }
  parts.push(characters.slice(done).join(""));
  return parts;
}

function clauseTable(clauses) {
  const rows = clauses.map((clause) => {
    const by = [...clause.by, ...(clause.absent || []).map((phrase) => `no ${phrase}`)].join(", ");
    const verdict = clause.satisfied ? make("td", { class: "yes" }, "✓ holds") : make("td", { class: "no" }, "✗ unmet");
    return make("tr", {}, verdict, make("td", {}, make("code", {}, clause.clause)), make("td", {}, by));
  });
  const head = make("tr", {}, ...["", "clause", "by"].map((name) => make("th", { scope: "col" }, name)));
  return make("table", { class: "answer" }, make("thead", {}, head), make("tbody", {}, ...rows));
}

// -- the start -----------------------------------------------------------------------------------------------

async function understands(formula) {
  try {
    return (await analysisOf(formula)).valid;
  } catch {
    return false;
  }
}

async function showExamples() {
  for (const group of EXAMPLES) {
    const row = make("p", {}, make("span", {}, group.name));
    for (const item of group.items) {
      const choose = () => {
        fill({ prompt: item.prompt, formula: item.formula, max_tokens: item.tokens || 40 });
        byId("formula").focus();
      };
      row.append(make("button", { type: "button", title: item.formula, onclick: choose }, item.name));
    }
    row.hidden = Boolean(group.needs);
    byId("examples").append(row);
    if (group.needs) understands(group.needs).then((can) => { row.hidden = !can; });
  }
}

async function nameModel() {
  try {
    const models = await (await fetch("v1/models")).json();
    byId("model").textContent = models.data[0].id;
  } catch {
    byId("model").textContent = "";
  }
}

async function copyLink() {
  const link = linkTo(values());
  history.replaceState(null, "", link);
  try {
    await navigator.clipboard.writeText(link);
    say("the link is copied");
  } catch {
    say("the link is in the address line");
  }
}

function start() {
  for (const name of DECODERS) byId("decoder").append(make("option", {}, name));
  byId("form").addEventListener("submit", (event) => { event.preventDefault(); generate(); });
  byId("form").addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) generate();
  });
  byId("formula").addEventListener("input", look);
  byId("formula").addEventListener("scroll", () => { byId("backdrop").scrollTop = byId("formula").scrollTop; });
  byId("stop").addEventListener("click", () => running && running.abort());
  byId("share").addEventListener("click", copyLink);
  window.addEventListener("hashchange", follow);
  showExamples();
  nameModel();
  follow();
}

function follow() {
  const linked = fromLink();
  const first = EXAMPLES[1].items[0];
  fill(linked || { prompt: first.prompt, formula: first.formula });
  if (linked) generate();
}

start();
