// The formula while it is typed: its clauses, what they mean, and what is wrong with it, at its place.
import { byId, count, make, post } from "./dom.js";

const TYPING = 250, RETRY = 2000, LOADING = 503, MOST_FORMS = 12;
const STATES = { S1: "to come", S2: "impossible", S3: "holds so far", S4: "holds" };

let typing = 0;
let asked = 0;
let known = null;  // the last analysis
let promiseFor = () => "";

// Look at the formula whenever it changes; `promise` says what the settings promise of an analysis.
export function watchFormula(promise) {
  promiseFor = promise;
  byId("formula").addEventListener("input", look);
  byId("formula").addEventListener("scroll", () => { byId("backdrop").scrollTop = byId("formula").scrollTop; });
}

export function look() {
  asked += 1;  // an answer that is on its way is not about this formula
  known = null;
  underline(-1);
  byId("verdict").setAttribute("aria-busy", "true");
  if (!byId("verdict").textContent) byId("verdict").textContent = "reading the formula …";
  clearTimeout(typing);
  typing = setTimeout(explain, TYPING);
}

// Say again what is promised, after a setting has changed.
export function promiseAgain() {
  if (known) showAnalysis(known);
}

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

async function explain() {
  const formula = byId("formula").value;
  const number = ++asked;
  let analysis = { valid: true, clauses: [] };
  if (formula.trim()) {
    try {
      analysis = await analysisOf(formula);
    } catch (error) {
      analysis = { valid: false, error: { message: error.message } };
    }
  }
  if (number !== asked) return;
  known = analysis;
  showAnalysis(analysis);
}

function showAnalysis(analysis) {
  const { error, contradiction, unspellable } = analysis;
  const message = error ? error.message.split("\n")[0].replace(/^(formula: )?formula, /, "") : contradiction ? contradiction.message : unspellable;
  const verdict = byId("verdict");
  verdict.setAttribute("aria-busy", "false");
  verdict.classList.toggle("wrong", Boolean(message));
  verdict.textContent = message || promiseFor(analysis);
  byId("formula").setAttribute("aria-invalid", String(Boolean(message)));
  underline(error && error.line ? offsetOf(byId("formula").value, error.line, error.column) : -1);
  const conflicting = new Set(contradiction ? contradiction.clauses : []);
  byId("clauses").replaceChildren(
    ...(analysis.clauses || []).map((clause) => clauseItem(clause, conflicting.has(clause.clause))),
    ...(analysis.wishes || []).map(wishItem));
}

function clauseItem(clause, conflicts) {
  return make("li", conflicts ? { class: "wrong" } : {},
    make("code", {}, clause.clause), " ",
    make("span", { class: "state", title: `state ${clause.state} before anything is written` }, STATES[clause.state]),
    make("small", {}, inWords(clause)));
}

function wishItem(wish) {
  return make("li", {}, make("code", {}, wish.wish), " ", make("span", { class: "state" }, "a wish"), make("small", {}, `${wish.meaning}, if it can be`));
}

// The forms of a word if there are several, or what the clause means.
function inWords(clause) {
  const forms = clause.literals.map((literal) => literal.positive && literal.times === 1 && literal.phrase);
  if (clause.kind !== "disjunction" || forms.length < 2 || forms.includes(false) || forms.includes(undefined)) return clause.meaning;
  const more = forms.length > MOST_FORMS ? ` or ${count(forms.length - MOST_FORMS, "further form")}` : "";
  return `one of ${forms.slice(0, MOST_FORMS).join(", ")}${more}`;
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
