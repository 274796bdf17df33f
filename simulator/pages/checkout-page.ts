import { type Html, html, page } from "../http/html.ts";
import type { Answer } from "../http/route.ts";
import { moneyText } from "../orders/money.ts";
import type { Order, PaymentStatus } from "../orders/order.ts";
import type { Clock } from "../service/clock.ts";
import type { MerchantSystem } from "./merchant-system.ts";
import { countdown } from "./page-parts.ts";

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

/** The merchant's result page (§2.3 redirectUrl). Without one, where the merchant's own system shows the order. */
export function wayBackOf(order: Order, system: MerchantSystem | undefined): WayBack | undefined {
  const { redirectUrl, merchant, orderNo } = order;
  // Written by the URL parser, so it is plain ASCII and fits in a header.
  if (redirectUrl !== undefined)
    return { address: new URL(redirectUrl).href, text: "Return to the shop" };
  const address = system?.orderUrl(merchant.merchantId, orderNo);
  return address && system ? { address, text: `See the order in ${system.name}` } : undefined;
}

/** The page at checkoutUrl (§1). It works without scripts. */
export function checkoutPage(
  order: Order,
  clock: Clock,
  left: boolean,
  back: WayBack | undefined,
): Answer {
  const title = headings[order.status];
  const body = html`<div class="card" data-status="${order.status}">
<p class="quiet">${order.merchant.merchantId}</p>
<h1>${title}</h1>
<p class="amount">${moneyText(order.amount)}</p>
${goodsList(order)}
${statusText(order, clock, left)}
${order.status === "pending" ? choices(order) : wayBack(order, back)}
</div>
<p class="quiet">Order ${order.orderNo}<br>This is a simulator: no money moves.</p>`;
  return page({ title, consumer: true, refresh: refreshOf(order, back), clock }, body);
}

/** Reloads while the payment is confirming, then goes back. */
function refreshOf({ status }: Order, back: WayBack | undefined): string | undefined {
  if (status === "pending") return undefined;
  if (status === "confirming") return "1";
  return back && `${secondsBeforeReturn};url=${back.address}`;
}

function goodsList(order: Order): Html {
  return html`<ul class="goods">
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
The order is open for ${countdown(order.expiresMilliseconds, clock)}.</p>`;
    case "confirming":
      return html`<p role="status">The payment was submitted and is being processed. This page updates itself.</p>`;
    case "success":
      return html`<p role="status">Thank you. Transaction <code>${order.transactionId}</code>.</p>`;
    case "failed":
    case "timeout":
      return html`<p role="status">Reason: ${order.msg}.</p>`;
  }
}

function choices(order: Order): Html {
  const leave = order.redirectUrl === undefined ? "Leave without paying" : "Back to the shop";
  return html`<form method="post" action="/checkout/${order.paymentId}" class="buttons">
<button class="primary" id="pay" name="action" value="pay">Pay ${moneyText(order.amount)}</button>
<button id="fail" name="action" value="fail">Let the payment fail</button>
<button id="leave" name="action" value="leave">${leave}</button>
</form>`;
}

function wayBack({ status }: Order, back: WayBack | undefined): Html | undefined {
  if (back === undefined || status === "confirming") return undefined;
  return html`<p><a id="return" href="${back.address}">${back.text}</a></p>`;
}
