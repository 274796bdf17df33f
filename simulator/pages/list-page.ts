import { type Html, html, page } from "../http/html.ts";
import type { Answer } from "../http/route.ts";
import { moneyText } from "../orders/money.ts";
import type { Order } from "../orders/order.ts";
import type { Service } from "../service/service.ts";
import { badge, clockTime, faultSwitches, tableOf } from "./page-parts.ts";

const mostOrders = 200;

const noOrders = html`<p class="quiet">There are no orders. A merchant creates them with
<code>POST /payment/api/v1/payment-order</code>, or you make a test order here.</p>`;

/** The first page: all orders, the clock, the keys, and the faults for all orders. */
export function listPage(service: Service): Answer {
  const orders = service.payments.list();
  const body = html`<div class="columns">
<section class="card" id="orders" data-live>
<h1>Orders</h1>
${orders.length === 0 ? noOrders : ordersTable(orders.slice(0, mostOrders))}
${orders.length > mostOrders && html`<p class="quiet">The latest ${mostOrders} of ${orders.length}.</p>`}
</section>
<div>
<section class="card"><h2>Make a test order</h2>${testOrderForm(service)}</section>
<section class="card"><h2>Clock</h2>${clockPart(service)}</section>
<section class="card"><h2>Keys</h2>${keysPart(service)}</section>
</div>
</div>
<section class="card" id="faults" data-live><h2>Faults for all orders</h2>${faultSwitches(service.faults.list())}</section>
<p class="quiet">Scripts can do all of this with <a href="/control">the control API</a>.</p>`;
  return page({ title: "Payment service simulator" }, body);
}

function ordersTable(orders: readonly Order[]): Html {
  return tableOf(["Order", "Amount", "Status", "Delivered", "Time (UTC)"], orders.map(orderRow));
}

function orderRow(order: Order): Html {
  const delivered = order.callbacks.filter(({ state }) => state === "delivered").length;
  const callbacks =
    order.callbacks.length === 0 ? "–" : `${delivered} of ${order.callbacks.length}`;
  return html`<tr>
<td data-label="Order"><a href="/orders/${order.paymentId}">${order.orderNo}</a></td>
<td class="number" data-label="Amount">${moneyText(order.amount)}</td>
<td data-label="Status"><span>${badge(order.status)}</span></td>
<td data-label="Delivered">${callbacks}</td>
<td class="number" data-label="Time (UTC)">${clockTime(order.createdMilliseconds)}</td>
</tr>`;
}

function testOrderForm(service: Service): Html {
  const merchants = [...service.merchants.keys()];
  return html`<form method="post" action="/orders">
<label>Merchant<select name="merchantId">${merchants.map((id) => html`<option>${id}</option>`)}</select></label>
<label>Amount<input name="amount" inputmode="decimal" value="12.50" required></label>
<label>Currency<input name="currency" value="EUR" pattern="[A-Z]{3}" required></label>
<label>Callback address (optional)<input name="callbackUrl" type="url" maxlength="2048"></label>
<button class="primary" id="make-order">Make the order</button>
</form>`;
}

const steps: readonly [label: string, seconds: number][] = [
  ["+1 min", 60],
  ["+1 h", 3600],
  ["+1 day", 86_400],
  ["+7 days", 604_800],
];

function clockPart({ clock }: Service): Html {
  const now = new Date(clock.nowMilliseconds()).toISOString().slice(0, 19).replace("T", " ");
  const stepButtons = steps.map(
    ([label, seconds]) =>
      html`<button class="small" name="stepSeconds" value="${seconds}">${label}</button>`,
  );
  return html`<p id="clock" data-live>${now} UTC, ${pace(clock.speed)}</p>
<form method="post" action="/clock" class="buttons">${stepButtons}</form>
<form method="post" action="/clock">
<label>Speed (1 is real time, 0 stops the clock)
<input name="speed" type="number" min="0" step="any" value="${clock.speed}" required></label>
<button class="small">Set the speed</button>
</form>`;
}

function pace(speed: number): string {
  if (speed === 0) return "stopped";
  return speed === 1 ? "in real time" : `at ${speed} times the speed`;
}

function keysPart(service: Service): Html {
  const buttons = [...service.merchants.keys()].map(
    (id) =>
      html`<button class="small" name="merchantId" value="${id}">Rotate keys of ${id}</button>`,
  );
  return html`<p class="quiet">Makes a new AES key and a new signing key. Requests with the previous keys are accepted
until the next rotation.</p>
<form method="post" action="/rotate" class="buttons">${buttons}</form>`;
}
