import { faultDescriptions } from "../faults/fault.ts";
import type { ActiveFault } from "../faults/fault-board.ts";
import { type Html, html } from "../http/html.ts";

const good = ["success", "refund_success", "delivered"];
const bad = ["failed", "timeout", "refund_failed", "given up", "lost"];

export function badge(state: string): Html {
  const tone = good.includes(state) ? "good" : bad.includes(state) ? "bad" : "";
  return html`<span class="badge ${tone}">${state}</span>`;
}

/** A duration in its two largest units: "3 h 20 min". */
export function span(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1000));
  const units: [string, number][] = [
    ["d", Math.floor(seconds / 86_400)],
    ["h", Math.floor(seconds / 3600) % 24],
    ["min", Math.floor(seconds / 60) % 60],
    ["s", seconds % 60],
  ];
  const first = units.findIndex(([, count]) => count > 0);
  const said = first === -1 ? units.slice(-1) : units.slice(first, first + 2);
  return said
    .filter(([, count], index) => count > 0 || (index === 0 && first === -1))
    .map(([unit, count]) => `${count} ${unit}`)
    .join(" ");
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

/** One row for each fault, with its switch. Without an order, the switches are for all orders. */
export function faultSwitches(
  faults: readonly ActiveFault[],
  order?: { paymentId: string; orderNo: string },
): Html {
  const here = faults.filter(({ fault }) => fault.orderNo === order?.orderNo);
  const hidden = order && html`<input type="hidden" name="paymentId" value="${order.paymentId}">`;
  return html`<ul class="switches">
${Object.entries(faultDescriptions).map(([kind, description]) => {
  const active = here.filter(({ fault }) => fault.kind === kind);
  return html`<li id="fault-${kind}"><div><h3>${kind} ${active.map(activeBadge)}</h3><p class="quiet">${description}</p></div>
<div class="buttons">${active.length > 0 ? offForm(active, hidden) : onForm(kind, hidden)}</div></li>`;
})}
</ul>`;
}

function activeBadge({ left }: ActiveFault): Html {
  return html`<span class="badge">${left === undefined ? "on" : `on, ${left} more`}</span>`;
}

function onForm(kind: string, hidden: Html | undefined): Html {
  return html`<form method="post" action="/faults" class="buttons">${hidden}<input type="hidden" name="kind" value="${kind}">
<button class="small" name="times" value="1" aria-label="${kind}: once">Once</button>
<button class="small" name="times" value="" aria-label="${kind}: always">Always</button></form>`;
}

function offForm(active: readonly ActiveFault[], hidden: Html | undefined): Html {
  return html`<form method="post" action="/faults/off">${hidden}${active.map(
    ({ id }) => html`<input type="hidden" name="id" value="${id}">`,
  )}<button class="small" aria-label="${active[0]?.fault.kind}: off">Switch off</button></form>`;
}
