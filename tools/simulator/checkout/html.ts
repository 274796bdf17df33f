import type { Answer, Route } from "../http/serve.ts";

/** HTML that is safe to insert. Only `html` creates it; all other values are escaped. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Insertable = Html | string | number | undefined | false | readonly Insertable[];

export function html(parts: TemplateStringsArray, ...values: readonly Insertable[]): Html {
  return new Html(parts.map((part, index) => part + insert(values[index])).join(""));
}

function insert(value: Insertable): string {
  if (value === undefined || value === false) return "";
  if (value instanceof Html) return value.text;
  if (typeof value === "string" || typeof value === "number") return escapeHtml(String(value));
  return value.map(insert).join("");
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? character);
}

interface PageOptions {
  readonly title: string;
  readonly refresh?: string | undefined;
  readonly status?: number;
}

export function page({ title, refresh, status = 200 }: PageOptions, main: Html): Answer {
  const document = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
${refresh !== undefined && html`<meta http-equiv="refresh" content="${refresh}">`}
<title>${title}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/checkout.css">
<script src="/checkout.js" defer></script>
</head>
<body>
<main>
${main}
</main>
</body>
</html>`;
  return { status, type: "text/html; charset=utf-8", body: document.text };
}

/** Light and dark. It loads no external fonts or images. */
const style = `
:root {
  color-scheme: light dark;
  --ground: #f3f4f7; --card: #fff; --line: #dcdfe6; --text: #1b1f29; --quiet: #5a6272;
  --accent: #3157c4; --on-accent: #fff;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #13151b; --card: #1d2029; --line: #343946; --text: #e9ebf1; --quiet: #a4acbc;
    --accent: #8ba7ff; --on-accent: #10162b;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; background: var(--ground); color: var(--text); overflow-wrap: anywhere;
  font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
}
main { max-width: 27rem; margin: 0 auto; padding: clamp(1rem, 8vh, 5rem) 1rem 3rem; }
h1 { font-size: 1.4rem; line-height: 1.25; margin: 0 0 .25rem; }
p { margin: 0 0 .75rem; }
a { color: var(--accent); }
code { font: .85em ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
.quiet { color: var(--quiet); font-size: .875rem; }
.card {
  padding: 1.5rem; margin-bottom: 1.1rem;
  background: var(--card); border: 1px solid var(--line); border-radius: .6rem;
}
.amount { font-size: 2rem; font-weight: 650; margin: .25rem 0 1rem; }
.amount, .countdown, ul { font-variant-numeric: tabular-nums; }
ul { list-style: none; margin: 0 0 1.1rem; padding: 0; border-top: 1px solid var(--line); }
li { display: flex; justify-content: space-between; gap: 1rem; padding: .5rem 0; border-bottom: 1px solid var(--line); }
li span:last-child { white-space: nowrap; }
form { display: grid; gap: .5rem; }
button {
  padding: .7rem; font: inherit; color: inherit; background: var(--card); cursor: pointer;
  border: 1px solid var(--line); border-radius: .4rem;
}
button:hover { border-color: var(--accent); }
button.primary { background: var(--accent); border-color: var(--accent); color: var(--on-accent); font-weight: 600; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
`;

/** Counts down on the simulator's clock. The page works without it. */
const script = `
const shown = document.querySelector(".countdown");
const openedMilliseconds = performance.now();
function count() {
  const { left, speed } = shown.dataset;
  const passed = (performance.now() - openedMilliseconds) * speed;
  const seconds = Math.max(0, Math.round((left - passed) / 1000));
  const minutes = new Date(seconds * 1000).toISOString().slice(14, 19);
  shown.textContent = Math.floor(seconds / 3600) + ":" + minutes;
}
if (shown) setInterval(count, 250);
`;

export const assetRoutes: readonly Route[] = [
  asset(/^\/checkout\.css$/, "text/css; charset=utf-8", style),
  asset(/^\/checkout\.js$/, "text/javascript; charset=utf-8", script),
];

function asset(path: RegExp, type: string, body: string): Route {
  return { method: "GET", path, handle: () => ({ status: 200, type, body }) };
}
