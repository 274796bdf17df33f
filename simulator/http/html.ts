import type { Answer } from "./route.ts";

/** HTML that is safe to insert. Only `html` makes it; all other values are escaped. */
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

export interface PageOptions {
  title: string;
  /** The consumer's page is narrow and has no link to the simulator's other pages. */
  consumer?: boolean;
  refresh?: string | undefined;
  status?: number;
  /** Lets the page count the seconds until something is due. */
  clock?: PageClock;
}

interface PageClock {
  nowMilliseconds(): number;
  readonly speed: number;
}

const card = `<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'>
<rect y='3' width='16' height='10' rx='2' fill='#3157c4'/><rect y='5.5' width='16' height='2' fill='#fff'/>
</svg>`;
const icon = `data:image/svg+xml,${encodeURIComponent(card)}`;

export function page(options: PageOptions, main: Html): Answer {
  const document = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
${options.refresh !== undefined && html`<meta http-equiv="refresh" content="${options.refresh}">`}
<title>${options.title}</title>
<link rel="icon" href="${icon}">
<link rel="stylesheet" href="/style.css">
<script src="/live.js" defer></script>
</head>
<body class="${options.consumer ? "consumer" : "operator"}"${options.clock && clockData(options.clock)}>
${!options.consumer && html`<header><a href="/">Payment service simulator</a></header>`}
<main>
${main}
</main>
</body>
</html>`;
  return { status: options.status ?? 200, type: "text/html; charset=utf-8", body: document.text };
}

function clockData(clock: PageClock): Html {
  return html` data-now="${Math.round(clock.nowMilliseconds())}" data-speed="${clock.speed}"`;
}
