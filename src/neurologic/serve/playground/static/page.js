// The playground: a form, what the server writes for it, and how the search went, live.
import { showAnswer } from "./answers.js";
import { byId, count, make, post } from "./dom.js";
import { DECODERS, EXAMPLES, FIRST, LANGUAGE } from "./examples.js";
import { look, promiseAgain, watchFormula } from "./formula.js";
import { showGrowing } from "./picture/picture.js";

const FIELDS = ["prompt", "formula", "decoder", "num_beams", "max_tokens", "n", "temperature", "alpha", "beta", "lambda_", "hint", "seed", "compare", "picture", "raw"];
const NUMBERS = ["num_beams", "max_tokens", "n", "temperature", "alpha", "beta", "lambda_", "seed"];
const OWN_NUMBERS = ["num_beams", "alpha", "beta", "lambda_"];
const CONSTRAINED = ["neurologic", "astar"];
const ONE_TEXT_AT_A_TIME = ["greedy", "top-k", "top-p"];
const MODEL_AGAIN = 2000;

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
  settingsChanged();
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

function settingsChanged() {
  const { decoder, num_beams, max_tokens, n, temperature } = values();
  const parts = [decoder, ...(ONE_TEXT_AT_A_TIME.includes(decoder) ? [] : [count(num_beams, "beam")]), `at most ${count(max_tokens, "token")}`];
  if (n > 1) parts.push(`${n} texts`);
  if (temperature) parts.push(`temperature ${temperature}`);
  byId("chosen").textContent = parts.join(" · ");
  promiseAgain();
}

// What is certain about a text before it is written.
function promise(analysis) {
  const given = values();
  const clauses = analysis.clauses.length;
  if (!given.formula.trim()) return "No formula: the text is free.";
  if (!clauses) return "Nothing is required: wishes only weigh in the ranking.";
  if (!CONSTRAINED.includes(given.decoder)) return `${count(clauses, "clause")}. This decoder promises nothing; the verdict tells what came out.`;
  const needed = analysis.cost ? analysis.cost.upper_bound : null;
  if (typeof needed !== "number") return `${count(clauses, "clause")}. No way to a text that obeys is known beforehand: the search does its best.`;
  if (needed > given.max_tokens) return `${count(clauses, "clause")}. Not guaranteed within ${count(given.max_tokens, "token")}: it may take ${needed}.`;
  const all = clauses === 1 ? "The clause" : clauses === 2 ? "Both clauses" : `All ${clauses} clauses`;
  if (!needed) return `✓ Guaranteed. ${all} will hold: nothing is owed, and what breaks a clause is never written.`;
  return `✓ Guaranteed. ${all} will hold: ${count(needed, "token")} ${needed === 1 ? "is" : "are"} enough for that, and the search keeps room for them.`;
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
  return { ...body, stream: true, neurologic };
}

let running = null;

async function generate() {
  if (running) running.abort();
  const own = new AbortController();
  running = own;
  const given = values();
  history.replaceState(null, "", linkTo(given));
  for (const id of ["empty", "answer", "plain", "search"]) byId(id).hidden = true;
  busy(true);
  const started = performance.now();
  try {
    const extras = given.picture ? { picture: "live" } : {};
    await ask("answer", { ...bodyOf(given, given.decoder, extras), n: given.n || 1 }, given, own.signal);
    if (given.compare && given.decoder !== "beam") {
      say("now plain beam search …");
      await ask("plain", bodyOf({ ...given, temperature: 0 }, "beam", {}), given, own.signal);
    }
    say(`done in ${((performance.now() - started) / 1000).toFixed(1)} s`);
  } catch (error) {
    if (running === own) failed(own.signal.aborted ? "stopped" : error.message, !own.signal.aborted);
  } finally {
    if (running === own) busy(false);
  }
}

function failed(words, wrong) {
  say(words, wrong);
  byId("empty").hidden = !["answer", "plain"].every((id) => byId(id).hidden);
}

function busy(is) {
  byId("stop").hidden = !is;
  byId("output").setAttribute("aria-busy", String(is));
  if (is) say("reading the prompt …");
  else running = null;
}

function say(words, wrong = false) {
  byId("status").textContent = words;
  byId("steps").textContent = "";
  byId("status").classList.toggle("wrong", wrong);
}

// Ask for texts as a stream: what is certain, and the search, show before it is over.
async function ask(id, body, given, signal) {
  const response = await post(given.raw ? "v1/completions" : "v1/chat/completions", body, signal);
  const section = byId(id);
  const growing = make("p", { class: "text certain" });
  showGrowth(growing, "", null);
  section.querySelector("div").replaceChildren(growing);
  section.hidden = false;
  const texts = [], verdicts = [];
  const picture = body.neurologic.picture ? showGrowing(byId("drawing")) : null;
  let steps = 0;
  for await (const event of eventsOf(response)) {
    if (event.error) throw new Error(event.error.message);
    if (event.neurologic && picture) {
      if (!steps++) say("searching …");
      byId("steps").textContent = `step ${steps}`;
      byId("search").hidden = false;
      picture.grow(event.neurologic.picture);
    }
    for (const choice of event.choices) {
      const added = choice.delta ? choice.delta.content : choice.text;
      texts[choice.index] = (texts[choice.index] || "") + (added || "");
      if (choice.neurologic) verdicts[choice.index] = choice.neurologic;
    }
    showGrowth(growing, texts[0] || "", picture);
  }
  showAnswer(section, texts, verdicts);
  const drawn = verdicts.find((verdict) => verdict && verdict.picture);
  if (drawn) {
    byId("search").hidden = false;
    picture.finish(drawn.picture);
  }
}

// What is certain of a text, and in grey how the likeliest one goes on that the search tries now.
function showGrowth(place, certain, picture) {
  const tried = picture ? picture.likeliest().trimStart() : "";
  const rest = tried.startsWith(certain) ? tried.slice(certain.length) : "";
  place.replaceChildren(certain, make("span", { class: "tried" }, `${rest} …`));
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

// -- examples ------------------------------------------------------------------------------------------------

function showKinds() {
  byId("kinds").replaceChildren(...EXAMPLES.map(({ kind }) => make("button", { type: "button", "data-kind": kind, onclick: () => showKind(kind) }, kind)));
  byId("language").replaceChildren(...LANGUAGE.map(([code, words]) => make("div", {}, make("dt", {}, make("code", {}, code)), make("dd", {}, words))));
}

function showKind(kind) {
  for (const button of byId("kinds").children) button.setAttribute("aria-pressed", String(button.dataset.kind === kind));
  const { items } = EXAMPLES.find((group) => group.kind === kind);
  byId("chips").replaceChildren(...items.map((item) => make("button", { type: "button", title: item.formula, "data-name": item.name, onclick: () => choose(item) }, item.name)));
  showChosen(null);
}

function choose(item) {
  fill({ prompt: item.prompt, formula: item.formula, max_tokens: item.tokens || 40 });
  showChosen(item);
}

// Say what an example teaches; null if there is none, or it was changed.
function showChosen(item) {
  for (const button of byId("chips").children) button.setAttribute("aria-pressed", String(Boolean(item) && button.dataset.name === item.name));
  byId("lesson").textContent = item ? item.lesson : "";
}

// -- the start -----------------------------------------------------------------------------------------------

async function nameModel() {
  const answer = await fetch("v1/models").catch(() => null);
  if (answer && answer.ok) byId("model").textContent = (await answer.json()).data[0].id;
  else setTimeout(nameModel, MODEL_AGAIN);
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
  showKinds();
  watchFormula(promise);
  byId("form").addEventListener("submit", (event) => { event.preventDefault(); generate(); });
  byId("form").addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) generate();
  });
  byId("formula").addEventListener("input", () => showChosen(null));
  byId("more").addEventListener("input", settingsChanged);
  byId("stop").addEventListener("click", () => running && running.abort());
  byId("share").addEventListener("click", copyLink);
  window.addEventListener("hashchange", follow);
  nameModel();
  follow();
}

function follow() {
  const linked = fromLink();
  showKind(FIRST.kind);
  if (linked) {
    fill(linked);
    generate();
  } else {
    choose(EXAMPLES.find((group) => group.kind === FIRST.kind).items.find((item) => item.name === FIRST.name));
  }
}

start();
