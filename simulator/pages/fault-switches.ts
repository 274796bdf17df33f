import { type FaultKind, faultDescriptions, faultGroups } from "../faults/fault.ts";
import type { ActiveFault } from "../faults/fault-board.ts";
import { type Html, html } from "../http/html.ts";

interface ShownOrder {
  readonly paymentId: string;
  readonly orderNo: string;
}

/** Says first which faults are on, because they explain what else is on the page. */
export function faultBanner(faults: readonly ActiveFault[], order?: ShownOrder): Html {
  const here = faults.filter(({ fault }) => isFor(fault.orderNo, order));
  const names = here.map((active) => html`<li>${faultName(active, order)}</li>`);
  return html`<div id="faults-on" data-live>${
    names.length > 0 &&
    html`<div class="notice open"><p><strong>Faults are on:</strong></p><ul class="inline">${names}</ul></div>`
  }</div>`;
}

function faultName({ fault: { kind, orderNo }, left }: ActiveFault, order?: ShownOrder): Html {
  const more = left !== undefined && `, ${left} more`;
  // On the list there is no switch for a fault of one order.
  if (orderNo !== undefined && order === undefined) return html`${kind} (order ${orderNo}${more})`;
  const scope = orderNo === undefined ? "all orders" : "this order";
  return html`<a href="#fault-${kind}">${kind}</a> (${scope}${more})`;
}

/** The list shows every fault, the page of an order those that can change this order. */
function isFor(orderNo: string | undefined, order: ShownOrder | undefined): boolean {
  return order === undefined || orderNo === undefined || orderNo === order.orderNo;
}

/** One row for each fault, with its switch. Without an order, the switches are for all orders. */
export function faultSwitches(faults: readonly ActiveFault[], order?: ShownOrder): Html {
  return html`${faultGroups.map(
    ({ title, kinds }) => html`<h3 class="group">${title}</h3>
<ul class="switches">${kinds.map((kind) => faultRow(kind, faults, order))}</ul>`,
  )}`;
}

function faultRow(
  kind: FaultKind,
  faults: readonly ActiveFault[],
  order: ShownOrder | undefined,
): Html {
  const ofKind = faults.filter(({ fault }) => fault.kind === kind);
  const own = ofKind.filter(({ fault }) => fault.orderNo === order?.orderNo);
  const forAll = order ? ofKind.filter(({ fault }) => fault.orderNo === undefined) : [];
  const badges = [
    ...own.map(({ left }) => onBadge("on", left)),
    ...forAll.map(({ left }) => onBadge("on for all orders", left)),
  ];
  const hidden = order && html`<input type="hidden" name="paymentId" value="${order.paymentId}">`;
  return html`<li id="fault-${kind}"><div><h4>${kind} ${badges}</h4><p class="quiet">${faultDescriptions[kind]}</p></div>
<div class="buttons">${own.length > 0 && offForm(kind, "Switch off", own, hidden)}${
    forAll.length > 0 && offForm(kind, "Switch off for all", forAll, hidden)
  }${own.length === 0 && onForm(kind, hidden)}</div></li>`;
}

function onBadge(text: string, left: number | undefined): Html {
  return html`<span class="badge">${text}${left !== undefined && `, ${left} more`}</span> `;
}

function onForm(kind: string, hidden: Html | undefined): Html {
  return html`<form method="post" action="/faults" class="buttons">${hidden}<input type="hidden" name="kind" value="${kind}">
<button class="small" name="times" value="1" aria-label="${kind}: once">Once</button>
<button class="small" name="times" value="" aria-label="${kind}: always">Always</button></form>`;
}

function offForm(
  kind: string,
  label: string,
  active: readonly ActiveFault[],
  hidden: Html | undefined,
): Html {
  return html`<form method="post" action="/faults/off">${hidden}${active.map(
    ({ id }) => html`<input type="hidden" name="id" value="${id}">`,
  )}<button class="small on" aria-label="${kind}: ${label}">${label}</button></form>`;
}
