// Texts with their required words marked, forbidden ones struck out, and the verdict clause by clause.
import { count, make } from "./dom.js";

// Show the texts of an answer in a section, best first.
export function showAnswer(section, texts, verdicts) {
  const answers = texts.map((text, index) => answerOf(text, verdicts[index], index));
  const place = section.querySelector("div");
  if (answers.length === 1) place.replaceChildren(...answers[0]);
  else place.replaceChildren(make("ol", { class: "best", "aria-label": "Texts, best first" }, ...answers.map((parts) => make("li", {}, ...parts))));
}

function answerOf(text, verdict, index) {
  const parts = [make("p", { class: "text" }, ...highlighted(text, verdict ? verdict.highlights : []))];
  if (!verdict) return parts;
  if (verdict.clauses.length) {
    const table = clauseTable(verdict);
    parts.push(badge(verdict.clauses), index ? make("details", {}, make("summary", {}, "clauses"), table) : table);
  }
  const notes = [`score ${verdict.score.toFixed(2)}`];
  if (verdict.forced) notes.push(`${count(verdict.forced, "token")} forced, to satisfy the formula in time`);
  if (verdict.marks.length) notes.push(`marks: ${verdict.marks.map((mark) => mark.kind).join(", ")}`);
  parts.push(make("p", { class: "note" }, notes.join(" · ")));
  for (const warning of verdict.warnings) parts.push(make("p", { class: "note" }, warning));
  return parts;
}

function badge(clauses) {
  const unmet = clauses.filter((clause) => !clause.satisfied).length;
  if (unmet) return make("p", { class: "badge no" }, `✗ ${unmet} of ${count(clauses.length, "clause")} unmet`);
  const all = clauses.length === 1 ? "The clause holds" : `All ${clauses.length} clauses hold`;
  return make("p", { class: "badge yes" }, `✓ ${all}, checked on the finished text`);
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

function clauseTable({ clauses, wishes }) {
  const row = (holds, words, clause, why) => make("tr", {},
    make("td", { class: holds }, words), make("td", {}, make("code", {}, clause)), make("td", {}, why));
  const rows = clauses.map((clause) => {
    const why = [...clause.by, ...(clause.absent || []).map((phrase) => `no ${phrase}`)].join(", ");
    return clause.satisfied ? row("yes", "✓ holds", clause.clause, why) : row("no", "✗ unmet", clause.clause, why);
  });
  for (const { wish, met } of wishes || []) rows.push(row(met ? "yes" : "", met ? "✓ granted" : "– not met", `prefer(${wish})`, "a wish, not a duty"));
  const head = make("tr", {}, ...["verdict", "clause", "because of"].map((name) => make("th", { scope: "col" }, name)));
  return make("table", { class: "answer" }, make("thead", {}, head), make("tbody", {}, ...rows));
}
