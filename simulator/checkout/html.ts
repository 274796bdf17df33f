import type { Answer } from "../http/route.ts";

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
