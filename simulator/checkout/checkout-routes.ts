import { type Answer, type Route, seeOther, type Visit } from "../http/route.ts";
import type { Order } from "../orders/order.ts";
import { Refusal } from "../orders/refusal.ts";
import type { Service } from "../service/service.ts";
import { assetRoutes } from "./assets.ts";
import { checkoutPage, shopOf, type WayBack } from "./checkout-page.ts";
import { html, page } from "./html.ts";

/** Where the merchant's own system shows an order; undefined while it cannot. */
export type OrderPage = (merchantId: string, orderNo: string) => WayBack | undefined;

/** The page at checkoutUrl (§1), for the consumer. `orderPage` is for orders without a result page of the shop. */
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
    return checkoutPage(order, service.clock, { left: url.searchParams.has("left"), back });
  });
  const choose = forOrder((order, { sameSite, body }) => {
    if (!sameSite) return forbidden;
    const action = new URLSearchParams(body.toString("utf8")).get("action");
    const here = `/checkout/${order.paymentId}`;
    if (action === "leave") return seeOther(shopOf(order)?.address ?? `${here}?left`);
    if (action === "pay") submit(service, order, "success");
    if (action === "fail") submit(service, order, "failed");
    return seeOther(here);
  });
  return [
    { method: "GET", path, handle: show },
    { method: "POST", path, handle: choose },
    ...assetRoutes,
  ];
}

/** With two tabs, or a button pressed twice, the page shows the result of the first press. */
function submit(service: Service, order: Order, outcome: "success" | "failed"): void {
  try {
    service.payments.submit(order, outcome);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
  }
}

const notFound = problem(404, "There is no such order.");
const forbidden = problem(403, "Pages of another site may not do this.");

function problem(status: number, text: string): Answer {
  return page({ title: text, status }, html`<div class="card"><h1>${text}</h1></div>`);
}
