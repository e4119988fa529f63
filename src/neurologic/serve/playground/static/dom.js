// Small things that all files of the page share. Every text goes in as text, never as HTML.

export const byId = (id) => document.getElementById(id);

export function make(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key === "onclick") element.addEventListener("click", value);
    else element.setAttribute(key, value);
  }
  element.append(...children);
  return element;
}

export async function post(path, body, signal) {
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

export function count(number, noun) {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}
