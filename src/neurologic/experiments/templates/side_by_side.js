"use strict";
// Grade the focused text from the keyboard. Grades are kept in this browser by grader and by the id of a text,
// so that a later page with some of the same texts shows them again.
const texts = Array.from(document.querySelectorAll("article.graded"));
const field = document.getElementById("grader");
const LAST_GRADER = "neurologic last grader";
let grades = {};

// A browser may forbid a page the store; then grades last until the page is closed.
function stored(key) {
  try { return localStorage.getItem(key); } catch { return null; }
}
function store(key, value) {
  try { localStorage.setItem(key, value); } catch { /* saving to a file still works */ }
}

function place() { return `neurologic grades of ${field.value.trim()}`; }

function load() {
  try { grades = JSON.parse(stored(place()) || "{}"); } catch { grades = {}; }
  show();
}

function graded(text) { return grades[text.dataset.text]; }

function show() {
  for (const text of texts) {
    text.classList.toggle("done", Boolean(graded(text)));
    for (const button of text.querySelectorAll("button")) {
      button.setAttribute("aria-pressed", String(Number(button.dataset.grade) === graded(text)));
    }
  }
  const done = texts.filter(graded).length;
  document.getElementById("progress").textContent = `${done} of ${texts.length} texts graded`;
  document.getElementById("bar").value = done;
}

function focused() { return texts.indexOf(document.activeElement.closest("article.graded")); }

function focus(index) {
  const text = texts[Math.max(0, Math.min(texts.length - 1, index))];
  if (!text) return;
  text.focus({ preventScroll: true });
  text.closest("section").scrollIntoView({ block: text.closest("section").offsetHeight < innerHeight * 0.8 ? "center" : "start" });
  text.scrollIntoView({ block: "nearest" });
}

function nextUngraded() {
  const from = focused() + 1;
  const order = texts.slice(from).concat(texts.slice(0, from));
  const found = order.find((text) => !graded(text));
  if (found) focus(texts.indexOf(found));
}

function give(index, grade) {
  const id = texts[index].dataset.text;
  if (grade) grades[id] = grade; else delete grades[id];
  store(place(), JSON.stringify(grades));
  show();
}

function save() {
  const here = Object.fromEntries(texts.filter(graded).map((text) => [text.dataset.text, graded(text)]));
  const grader = field.value.trim();
  const content = JSON.stringify({ grader, saved: new Date().toISOString(), grades: here }, null, 2) + "\n";
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([content], { type: "application/json" }));
  link.download = grader ? `grades-${grader.replace(/[^\p{L}\p{N}]+/gu, "_")}.json` : "grades.json";
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

const STEPS = { ArrowRight: 1, ArrowDown: 1, j: 1, ArrowLeft: -1, ArrowUp: -1, k: -1 };
document.addEventListener("keydown", (event) => {
  if (event.target === field || event.ctrlKey || event.metaKey || event.altKey) return;
  const index = focused();
  if (event.key in STEPS) {
    focus(index < 0 ? 0 : index + STEPS[event.key]);
  } else if (event.key === "n") {
    nextUngraded();
  } else if (index >= 0 && /^[0-5]$/.test(event.key)) {
    give(index, Number(event.key));
    if (event.key !== "0") focus(index + 1);
  } else {
    return;
  }
  event.preventDefault();
});
document.addEventListener("click", (event) => {
  const button = event.target.closest("button[data-grade]");
  if (!button) return;
  const index = texts.indexOf(button.closest("article.graded"));
  const grade = Number(button.dataset.grade);
  give(index, graded(texts[index]) === grade ? 0 : grade);
});
document.getElementById("next").addEventListener("click", nextUngraded);
document.getElementById("save").addEventListener("click", save);
field.addEventListener("change", () => { store(LAST_GRADER, field.value); load(); });
field.value = stored(LAST_GRADER) || "";
load();
