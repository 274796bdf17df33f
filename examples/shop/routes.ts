import { currentOrderNo, orderPath, type Purchase } from "./memory.ts";
import { messagePage, orderPage } from "./pages/order-page.ts";
import { shelfPage } from "./pages/shelf-page.ts";
import { askAbout, type Pay, payAgain, startPayment } from "./pay.ts";
import { teas } from "./teas.ts";

/** A request after the checks that all requests have in common. */
export interface ShopRequest {
  /** Method and path, with the order number replaced: "GET /orders/:orderNo". */
  readonly route: string;
  readonly orderNo: string;
  readonly visitor: string;
  readonly form: URLSearchParams;
}

export type ShopAnswer =
  | { readonly status: number; readonly page: string }
  | { readonly seeOther: string };

export async function answerVisitor(request: ShopRequest, deps: Pay): Promise<ShopAnswer> {
  switch (request.route) {
    case "GET /":
      return shelf(request, deps);
    case "POST /basket":
      return changeBasket(request, deps);
    case "POST /pay":
      return await payBasket(request, deps);
    case "GET /orders/:orderNo":
      return await showOrder(request, deps);
    case "POST /orders/:orderNo/pay":
      return await payOrder(request, deps);
    default:
      return notFound("There is no such page", "Perhaps the address was cut off.");
  }
}

function shelf({ visitor }: ShopRequest, { memory }: Pay, notice?: string): ShopAnswer {
  const basket = memory.basketOf(visitor);
  const purchases = memory.purchasesOf(visitor);
  const page = shelfPage({ basket, purchases, ...(notice !== undefined && { notice }) });
  return { status: notice === undefined ? 200 : 409, page };
}

function changeBasket({ visitor, form }: ShopRequest, { memory }: Pay): ShopAnswer {
  const isMore = form.has("add");
  const teaId = form.get(isMore ? "add" : "remove");
  if (teas.some(({ id }) => id === teaId)) {
    memory.changeBasket(visitor, teaId ?? "", isMore ? 1 : -1);
  }
  return { seeOther: "/" };
}

async function payBasket(request: ShopRequest, deps: Pay): Promise<ShopAnswer> {
  const purchase = deps.memory.purchaseOf(request.visitor, request.form.get("basket") ?? "");
  if (purchase === undefined) {
    const notice = "Your basket has changed since you saw it. Please look at it again.";
    return shelf(request, deps, notice);
  }
  return { seeOther: await startPayment(purchase, deps) };
}

/** Nothing of the address but the order number is read: a status that stands there could be forged. */
async function showOrder(request: ShopRequest, deps: Pay): Promise<ShopAnswer> {
  const purchase = ownPurchase(request, deps);
  if (purchase === undefined) return unknownOrder;
  const orderNo = currentOrderNo(purchase);
  if (orderNo !== request.orderNo) return { seeOther: orderPath(orderNo) };
  const asked = await askAbout(orderNo, deps);
  return { status: 200, page: orderPage(orderNo, ownPurchase(request, deps) ?? purchase, asked) };
}

async function payOrder(request: ShopRequest, deps: Pay): Promise<ShopAnswer> {
  if (ownPurchase(request, deps) === undefined) return unknownOrder;
  return { seeOther: await payAgain(request.orderNo, deps) };
}

/** Only the visitor who ordered may see an order. */
function ownPurchase({ orderNo, visitor }: ShopRequest, { memory }: Pay): Purchase | undefined {
  const purchase = memory.find(orderNo);
  const isOwn = purchase?.visitor === visitor && purchase.orderNos.includes(orderNo);
  return isOwn ? purchase : undefined;
}

function notFound(title: string, text: string): ShopAnswer {
  return { status: 404, page: messagePage(title, text) };
}

const unknownOrder = notFound(
  "We do not know this order",
  "It may be of another browser, or from before the shop was started again: it keeps its orders in memory.",
);
