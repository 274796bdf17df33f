import { type Html, html } from "../http/html.ts";
import type { Answer } from "../http/route.ts";
import { moneyText } from "../orders/money.ts";
import type { Order } from "../orders/order.ts";
import { fastestSpeed } from "../service/clock.ts";
import type { Service } from "../service/service.ts";
import { faultBanner, faultSwitches } from "./fault-switches.ts";
import type { MerchantSystem } from "./merchant-system.ts";
import { type Fields, type Notice, refused } from "./notices.ts";
import { badge, card, clockTime, operatorPage, tableOf } from "./page-parts.ts";

const mostOrders = 200;

export interface ListView {
  readonly merchantSystem: MerchantSystem | undefined;
  readonly notice: Notice | undefined;
  readonly search: string;
}

/** The first page: all orders, the clock, the keys, and the faults for all orders. */
export function listPage(service: Service, { merchantSystem, notice, search }: ListView): Answer {
  const faults = service.faults.list();
  const orderForm = testOrderForm(service, merchantSystem, refused(notice, "order"));
  const body = html`${faultBanner(faults)}${merchantLink(merchantSystem)}
<div class="columns">
${card("orders", "Orders", ordersPart(service.payments.list(), search), { live: true, level: 1, aside: searchForm(search) })}
<div>
${card("test-order", "Make a test order", orderForm)}
${card("clock", "Clock", clockPart(service, refused(notice, "clock")))}
${card("keys", "Keys", keysPart(service, merchantSystem))}
</div>
${card("faults", "Faults for all orders", faultSwitches(faults), { live: true })}
</div>
<p class="quiet">Scripts can do all of this with <a href="/control">the control API</a>.</p>`;
  return operatorPage("Payment service simulator", service.clock, notice, body);
}

function merchantLink(system: MerchantSystem | undefined): Html | false {
  const url = system?.homeUrl();
  if (system === undefined || url === undefined) return false;
  return html`<p><a id="merchant-home" href="${url}">See what ${system.name} did with the callbacks</a></p>`;
}

function searchForm(search: string): Html {
  return html`<form method="get" action="/" role="search" class="search">
<input type="search" name="search" value="${search}" aria-label="Search orders" placeholder="Number, id or status">
<button class="small">Search</button>
</form>`;
}

function ordersPart(orders: readonly Order[], search: string): Html {
  if (orders.length === 0) {
    return html`<p class="empty">There are no orders. Make a test order here, or let a merchant create one with
<code>POST /payment/api/v1/payment-order</code>.</p>`;
  }
  const found = orders.filter((order) => matches(order, search.trim().toLowerCase()));
  if (found.length === 0) {
    return html`<p class="empty">No order matches “${search}”. <a href="/">Show all ${orders.length}</a></p>`;
  }
  const rows = found.slice(0, mostOrders).map(orderRow);
  return html`${tableOf(["Order", "Amount", "Status", "Callbacks", "Time (UTC)"], rows, "orders")}
${found.length > mostOrders && html`<p class="quiet">The latest ${mostOrders} of ${found.length}.</p>`}`;
}

function matches(order: Order, search: string): boolean {
  const { orderNo, paymentId, transactionId = "", status, callbacks } = order;
  const texts = [orderNo, paymentId, transactionId, status, ...callbacks.map(({ id }) => id)];
  return texts.some((text) => text.toLowerCase().includes(search));
}

function orderRow(order: Order): Html {
  const delivered = order.callbacks.filter(({ state }) => state === "delivered").length;
  const total = order.callbacks.length;
  const callbacks = total === 0 ? "no callbacks" : `${delivered} of ${total} delivered`;
  return html`<tr>
<td data-label="Order"><a href="/orders/${order.paymentId}">${order.orderNo}</a></td>
<td class="number" data-label="Amount">${moneyText(order.amount)}</td>
<td data-label="Status"><span>${badge(order.status)}</span></td>
<td data-label="Callbacks">${callbacks}</td>
<td class="number" data-label="Time (UTC)">${clockTime(order.createdMilliseconds)}</td>
</tr>`;
}

/** `typed` is what the user filled in before the form was refused. */
function testOrderForm(
  service: Service,
  merchantSystem: MerchantSystem | undefined,
  typed: Fields = {},
): Html {
  const where = merchantSystem
    ? `The order goes through ${merchantSystem.name}, so that it exists on both sides.`
    : "The order is made here alone: the merchant's own system does not know it.";
  return html`<form method="post" action="/orders">
<p class="quiet">${where}</p>
${merchantChoice([...service.merchants.keys()], typed["merchantId"])}
<div class="pair">
<label>Amount<input name="amount" inputmode="decimal" value="${typed["amount"] ?? "12.50"}" required></label>
<label>Currency<input name="currency" value="${typed["currency"] ?? "EUR"}" pattern="[A-Z]{3}" title="three capital letters" required></label>
</div>
<label>Order number (optional)<input name="orderNo" value="${typed["orderNo"] ?? ""}" maxlength="64"></label>
${!merchantSystem && html`<label>Callback address (optional)<input name="callbackUrl" type="url" maxlength="2048" value="${typed["callbackUrl"] ?? ""}"></label>`}
<button class="primary" id="make-order">Make the order</button>
</form>`;
}

function merchantChoice(merchants: readonly string[], chosen: string | undefined): Html {
  const [only, ...others] = merchants;
  if (others.length === 0) return html`<input type="hidden" name="merchantId" value="${only}">`;
  const options = merchants.map(
    (id) => html`<option${id === chosen && html` selected`}>${id}</option>`,
  );
  return html`<label>Merchant<select name="merchantId">${options}</select></label>`;
}

const steps: readonly [label: string, seconds: number][] = [
  ["+1 min", 60],
  ["+1 h", 3600],
  ["+1 day", 86_400],
  ["+7 days", 604_800],
];

function clockPart({ clock }: Service, typed: Fields = {}): Html {
  const now = new Date(clock.nowMilliseconds()).toISOString().slice(0, 19).replace("T", " ");
  const stepButtons = steps.map(
    ([label, seconds]) =>
      html`<button class="small" name="stepSeconds" value="${seconds}">${label}</button>`,
  );
  return html`<p id="clock-now" data-live><strong class="number">${now}</strong> UTC, ${pace(clock.speed)}</p>
<form method="post" action="/clock" class="buttons">${stepButtons}
<button class="small" name="backToNow" value="true">Back to now</button></form>
<form method="post" action="/clock" class="together">
<label>Speed (1 is real time, 0 stops)
<input name="speed" type="number" min="0" max="${fastestSpeed}" step="any" value="${typed["speed"] ?? clock.speed}" required></label>
<button>Set</button>
</form>`;
}

function pace(speed: number): string {
  if (speed === 0) return "stopped";
  return speed === 1 ? "in real time" : `at ${speed} times the speed`;
}

function keysPart(service: Service, merchantSystem: MerchantSystem | undefined): Html {
  const buttons = [...service.merchants.keys()].map(
    (id) =>
      html`<button class="small" name="merchantId" value="${id}">Rotate keys of ${id}</button>`,
  );
  const store = merchantSystem
    ? `${merchantSystem.name} stores them before they are used.`
    : "You get them to store at the merchant.";
  return html`<p class="quiet">Makes a new AES key and a new signing key. ${store} Requests with earlier keys are
still accepted.</p>
<form method="post" action="/rotate" class="buttons">${buttons}</form>`;
}
