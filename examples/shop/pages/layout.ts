import { type Html, html } from "./html.ts";

export interface PageOptions {
  readonly title: string;
  /** What a screen reader says when the page has changed by itself. */
  readonly announcement?: string;
  /** The page looks again after so many seconds. */
  readonly lookAgainSeconds?: number;
}

const leaf = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><path d="M2 14Q2 3 14 2 14 13 4 13" fill="#2f6b4f"/></svg>`;
const icon = `data:image/svg+xml,${encodeURIComponent(leaf)}`;

export function layout(options: PageOptions, main: Html): string {
  const { title, announcement = "", lookAgainSeconds } = options;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · Quiet Kettle</title>
<link rel="icon" href="${icon}">
<link rel="stylesheet" href="/style.css">
<script src="/page.js" defer></script>
${lookAgainSeconds !== undefined && html`<noscript><meta http-equiv="refresh" content="${lookAgainSeconds}"></noscript>`}
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header><a class="brand" href="/"><svg viewBox="0 0 32 32" aria-hidden="true" focusable="false"><path d="M5 27 Q4 8 27 5 Q28 25 9 25" fill="currentColor"/><path d="M5 28 Q9 17 20 12" fill="none" stroke="var(--ground)" stroke-width="1.8" stroke-linecap="round"/></svg>Quiet Kettle</a>
<p>Tea, one cup at a time</p></header>
<main id="main" tabindex="-1" data-announcement="${announcement}"${lookAgain(lookAgainSeconds)}>
${main}
</main>
<footer><p>A demo of Paycast. No money moves, no tea is sent, and the shop forgets everything when it stops.</p></footer>
<p id="announcer" role="status" class="unseen"></p>
</body>
</html>`.text;
}

function lookAgain(seconds: number | undefined): Html | false {
  return seconds !== undefined && html` data-look-again-seconds="${seconds}"`;
}

/** "$6.40", or the currency's code if it is another one. */
export function money(value: string, currency: string | undefined): string {
  if (currency === "USD") return `$${value}`;
  return currency === undefined ? value : `${value} ${currency}`;
}
