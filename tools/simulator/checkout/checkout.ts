import { type Answer, type Route, seeOther, type Visit } from "../http/serve.ts";
import { moneyText } from "../orders/money.ts";
import type { Order, PaymentStatus } from "../orders/order.ts";
import type { Clock } from "../service/clock.ts";
import type { Service } from "../service/service.ts";
import { assetRoutes, type Html, html, page } from "./html.ts";

/** Where the customer goes afterwards. */
interface WayBack {
  readonly address: string;
  readonly text: string;
}

/** The merchant's own page of an order; undefined if there is none. */
export type OrderPage = (merchantId: string, orderNo: string) => WayBack | undefined;

/** The page at checkoutUrl (§1), for the customer. `orderPage` is for orders without a result page. */
export function checkoutRoutes(service: Service, orderPage: OrderPage | undefined): Route[] {
  const path = /^\/checkout\/([0-9a-f]+)$/;
  const forOrder =
    (answer: (order: Order, visit: Visit) => Answer): Route["handle"] =>
    (visit, [paymentId = ""]) => {
      const order = service.payments.find(paymentId);
      return order === undefined ? notFound : answer(order, visit);
    };
  const show = forOrder((order, { url }) => {
    const back = shopOf(order) ?? orderPage?.(order.merchant.merchantId, order.orderNo);
    return checkoutPage(order, service.clock, { hasLeft: url.searchParams.has("left"), back });
  });
  const choose = forOrder((order, { sameSite, body }) => {
    if (!sameSite) return forbidden;
    const action = new URLSearchParams(body.toString("utf8")).get("action");
    const here = `/checkout/${order.paymentId}`;
    if (action === "leave") return seeOther(shopOf(order)?.address ?? `${here}?left`);
    // With two tabs or a double click, the page shows the result of the first click.
    const isOpen = order.status === "pending";
    if (isOpen && action === "pay") service.payments.submit(order, "success");
    if (isOpen && action === "fail") service.payments.submit(order, "failed");
    return seeOther(here);
  });
  return [
    { method: "GET", path, handle: show },
    { method: "POST", path, handle: choose },
    ...assetRoutes,
  ];
}

const notFound = problem(404, "This order does not exist.");
const forbidden = problem(403, "Requests from pages of other sites are rejected.");

function problem(status: number, text: string): Answer {
  return page({ title: text, status }, html`<div class="card"><h1>${text}</h1></div>`);
}

const secondsBeforeReturn = 2;

const headings: Readonly<Record<PaymentStatus, string>> = {
  pending: "Pay your order",
  confirming: "Confirming your payment",
  success: "Paid",
  failed: "The payment failed",
  timeout: "This order has expired",
};

/** The merchant's result page (§2.3 redirectUrl). */
function shopOf({ redirectUrl }: Order): WayBack | undefined {
  if (redirectUrl === undefined) return undefined;
  // Written by the URL parser, so it is plain ASCII and fits in a header.
  return { address: new URL(redirectUrl).href, text: "Return to the shop" };
}

interface Leaving {
  /** True if the customer left without paying. */
  readonly hasLeft: boolean;
  readonly back: WayBack | undefined;
}

/** Works without JavaScript. */
function checkoutPage(order: Order, clock: Clock, { hasLeft, back }: Leaving): Answer {
  const title = headings[order.status];
  const body = html`<div class="card">
<p class="quiet">${order.merchant.merchantId}</p>
<h1>${title}</h1>
<p class="amount">${moneyText(order.amount)}</p>
${goodsList(order)}
${statusText(order, clock, hasLeft)}
${order.status === "pending" ? choices(order) : wayBack(order, back)}
</div>
<p class="quiet">Order ${order.orderNo}<br>This is a simulator. No money moves.</p>`;
  return page({ title, refresh: refreshOf(order, back) }, body);
}

/** Reloads while the payment is confirming, then returns to the shop. */
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

/** Not a live region while the order is pending: a screen reader would announce every second of the countdown. */
function statusText(order: Order, clock: Clock, hasLeft: boolean): Html {
  switch (order.status) {
    case "pending":
      return html`<p class="quiet">${hasLeft && "You left without paying. "}
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

/** The remaining time as hours, minutes and seconds. The script counts it down. */
function countdown({ expiresMilliseconds }: Order, clock: Clock): Html {
  const remaining = Math.max(0, Math.round(expiresMilliseconds - clock.nowMilliseconds()));
  const text = `${Math.floor(remaining / 3_600_000)}:${new Date(remaining).toISOString().slice(14, 19)}`;
  return html`<span class="countdown" data-left="${remaining}" data-speed="${clock.speed}">${text}</span>`;
}

function choices(order: Order): Html {
  const leave = order.redirectUrl === undefined ? "Leave without paying" : "Back to the shop";
  return html`<form method="post" action="/checkout/${order.paymentId}">
<button class="primary" id="pay" name="action" value="pay">Pay ${moneyText(order.amount)}</button>
<button id="fail" name="action" value="fail">Fail the payment</button>
<button id="leave" name="action" value="leave">${leave}</button>
</form>`;
}

function wayBack({ status }: Order, back: WayBack | undefined): Html | undefined {
  if (back === undefined || status === "confirming") return undefined;
  return html`<p><a id="return" href="${back.address}">${back.text}</a></p>`;
}
