import { type Html, html, page } from "../http/html.ts";
import type { Answer } from "../http/route.ts";
import type { RotatedKeys } from "../merchants/rotate-keys.ts";
import type { Clock } from "../service/clock.ts";
import type { Notice } from "./notices.ts";
import { span } from "./span.ts";

/** A page for the user of the simulator. The notice comes first, and the script moves the focus to it. */
export function operatorPage(
  title: string,
  clock: Clock,
  notice: Notice | undefined,
  main: Html,
): Answer {
  const isProblem = notice?.kind === "problem";
  const body = html`${notice && noticePart(notice)}${main}`;
  return page({ title: isProblem ? `Problem: ${title}` : title, clock }, body);
}

function noticePart(notice: Notice): Html {
  const isProblem = notice.kind === "problem";
  return html`<div class="notice ${isProblem ? "bad" : "good"}" id="notice" role="${isProblem ? "alert" : "status"}" tabindex="-1">
<p>${isProblem && html`<strong>That did not work.</strong> `}${notice.text}</p>
${notice.kind === "done" && notice.keys && keysPart(notice.keys)}
</div>`;
}

function keysPart({ callbackKeys, requestKeys }: RotatedKeys): Html {
  const shown = (keys: object) => html`<pre tabindex="0">${JSON.stringify(keys, null, 2)}</pre>`;
  return html`<h2>Callback keys</h2>${shown(callbackKeys)}
<h2>Request keys (its own private key stays)</h2>${shown(requestKeys)}`;
}

interface CardOptions {
  /** The script updates the part while the page is open. */
  readonly live?: boolean;
  readonly level?: 1 | 2;
  /** Beside the heading. */
  readonly aside?: Html | undefined;
}

export function card(id: string, title: string, body: Html, options: CardOptions = {}): Html {
  const { live = false, level = 2, aside } = options;
  const heading =
    level === 1
      ? html`<h1 id="${id}-title">${title}</h1>`
      : html`<h2 id="${id}-title">${title}</h2>`;
  return html`<section class="card" id="${id}" aria-labelledby="${id}-title"${live && html` data-live`}>
<div class="line">${heading}${aside}</div>
${body}
</section>`;
}

const good = ["success", "refund_success", "delivered"];
const bad = ["failed", "timeout", "refund_failed", "given up", "lost"];

export function badge(state: string): Html {
  const tone = good.includes(state) ? "good" : bad.includes(state) ? "bad" : "";
  return html`<span class="badge ${tone}">${state}</span>`;
}

/** The time that is left. The script counts it down, on the simulator's clock. */
export function countdown(untilMilliseconds: number, clock: Clock): Html {
  const left = span(untilMilliseconds - clock.nowMilliseconds());
  return html`<span class="countdown" data-until="${Math.round(untilMilliseconds)}">${left}</span>`;
}

export function tableOf(headings: readonly string[], rows: readonly Html[], kind = ""): Html {
  return html`<table class="${kind}">
<thead><tr>${headings.map((heading) => html`<th scope="col">${heading}</th>`)}</tr></thead>
<tbody>${rows}</tbody>
</table>`;
}

export function clockTime(milliseconds: number): Html {
  const iso = new Date(milliseconds).toISOString();
  return html`<time datetime="${iso}" title="${iso}">${iso.slice(11, 19)}</time>`;
}
