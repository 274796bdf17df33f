import { currency, decimal, type Line, sumCents } from "../teas.ts";
import { type Html, html } from "./html.ts";

export interface PageOptions {
  readonly title: string;
  /** What a screen reader says when the page has changed by itself. */
  readonly announcement?: string;
  /** The page looks again after so many seconds. */
  readonly lookAgainSeconds?: number;
}

export function layout(options: PageOptions, main: Html): string {
  const { title, announcement = "", lookAgainSeconds } = options;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · Quiet Kettle</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/style.css">
<script src="/page.js" defer></script>
${lookAgainSeconds !== undefined && html`<noscript><meta http-equiv="refresh" content="${lookAgainSeconds}"></noscript>`}
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header><a class="brand" href="/">Quiet Kettle</a>
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

/** What is bought, and the sum. */
export function lineList(lines: readonly Line[]): Html {
  return html`<ul class="lines">${lines.map(
    (line) => html`<li><span>${line.quantity} × ${line.tea.name}</span>
<span>${money(decimal(sumCents([line])), currency)}</span></li>`,
  )}<li class="total"><span>Total</span><span>${money(decimal(sumCents(lines)), currency)}</span></li></ul>`;
}
