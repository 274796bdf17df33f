import type { Answer } from "../http/route.ts";
import { moneyText } from "../orders/money.ts";
import type { Order, PaymentStatus } from "../orders/order.ts";
import type { Clock } from "../service/clock.ts";
import { type Html, html, page } from "./html.ts";

const secondsBeforeReturn = 2;

const headings: Readonly<Record<PaymentStatus, string>> = {
  pending: "Pay your order",
  confirming: "Confirming your payment",
  success: "Paid",
  failed: "The payment failed",
  timeout: "This order has expired",
};

/** Where the consumer goes afterwards. */
export interface WayBack {
  readonly address: string;
  readonly text: string;
}

/** The merchant's result page (§2.3 redirectUrl). */
export function shopOf({ redirectUrl }: Order): WayBack | undefined {
  if (redirectUrl === undefined) return undefined;
  // Written by the URL parser, so it is plain ASCII and fits in a header.
  return { address: new URL(redirectUrl).href, text: "Return to the shop" };
}

export interface Leaving {
  /** True if the consumer chose to leave without paying. */
  readonly left: boolean;
  readonly back: WayBack | undefined;
}

/** It works without scripts. */
export function checkoutPage(order: Order, clock: Clock, { left, back }: Leaving): Answer {
  const title = headings[order.status];
  const body = html`<div class="card">
<p class="quiet">${order.merchant.merchantId}</p>
<h1>${title}</h1>
<p class="amount">${moneyText(order.amount)}</p>
${goodsList(order)}
${statusText(order, clock, left)}
${order.status === "pending" ? choices(order) : wayBack(order, back)}
</div>
<p class="quiet">Order ${order.orderNo}<br>This is a simulator: no money moves.</p>`;
  return page({ title, refresh: refreshOf(order, back) }, body);
}

/** Reloads while the payment is confirming, then goes back. */
function refreshOf({ status }: Order, back: WayBack | undefined): string | undefined {
  if (status === "pending") return undefined;
  if (status === "confirming") return "1";
  return back && `${secondsBeforeReturn};url=${back.address}`;
}

function goodsList(order: Order): Html {
  return html`<ul>
${order.goods.map(
  ({ name, quantity, unitAmount }) =>
    html`<li>
<span>${quantity !== undefined && `${quantity} × `}${name}</span>
<span>${unitAmount && `${moneyText(unitAmount)} each`}</span>
</li>`,
)}
</ul>`;
}

/** Not a live region while the order is pending: a screen reader would read every second of the countdown. */
function statusText(order: Order, clock: Clock, left: boolean): Html {
  switch (order.status) {
    case "pending":
      return html`<p class="quiet">${left && "You left without paying. "}
The order is open for ${countdown(order, clock)}.</p>`;
    case "confirming":
      return html`<p role="status">The payment was submitted and is being processed. This page updates itself.</p>`;
    case "success":
      return html`<p role="status">Thank you. Transaction <code>${order.transactionId}</code>.</p>`;
    case "failed":
    case "timeout":
      return html`<p role="status">Reason: ${order.msg}.</p>`;
  }
}

/** The time that is left, as hours, minutes and seconds. The script counts it down. */
function countdown({ expiresMilliseconds }: Order, clock: Clock): Html {
  const left = Math.max(0, Math.round(expiresMilliseconds - clock.nowMilliseconds()));
  const text = `${Math.floor(left / 3_600_000)}:${new Date(left).toISOString().slice(14, 19)}`;
  return html`<span class="countdown" data-left="${left}" data-speed="${clock.speed}">${text}</span>`;
}

function choices(order: Order): Html {
  const leave = order.redirectUrl === undefined ? "Leave without paying" : "Back to the shop";
  return html`<form method="post" action="/checkout/${order.paymentId}">
<button class="primary" id="pay" name="action" value="pay">Pay ${moneyText(order.amount)}</button>
<button id="fail" name="action" value="fail">Let the payment fail</button>
<button id="leave" name="action" value="leave">${leave}</button>
</form>`;
}

function wayBack({ status }: Order, back: WayBack | undefined): Html | undefined {
  if (back === undefined || status === "confirming") return undefined;
  return html`<p><a id="return" href="${back.address}">${back.text}</a></p>`;
}
