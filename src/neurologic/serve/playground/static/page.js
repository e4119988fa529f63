// The smallest page that works: ask for a text and show it with its verdict.
const byId = (id) => document.getElementById(id);

async function generate(event) {
  event.preventDefault();
  byId("text").textContent = "…";
  byId("clauses").replaceChildren();
  const response = await fetch("v1/chat/completions", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      messages: [{ role: "user", content: byId("prompt").value }],
      neurologic: byId("formula").value.trim() ? { formula: byId("formula").value } : {},
    }),
  });
  const answer = await response.json();
  if (answer.error) {
    byId("text").textContent = answer.error.message;
    return;
  }
  const choice = answer.choices[0];
  byId("text").textContent = choice.message.content;
  for (const clause of choice.neurologic.clauses) {
    const item = document.createElement("li");
    item.textContent = `${clause.satisfied ? "✓" : "✗"} ${clause.clause}`;
    byId("clauses").append(item);
  }
}

byId("form").addEventListener("submit", generate);
