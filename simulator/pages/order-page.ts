import { type Html, html, page } from "../http/html.ts";
import type { Answer } from "../http/route.ts";
import { decimalText, moneyText } from "../orders/money.ts";
import {
  type Attempt,
  type Callback,
  type Order,
  type Refund,
  refundable,
} from "../orders/order.ts";
import type { Service } from "../service/service.ts";
import { badge, clockTime, faultSwitches, span, tableOf } from "./page-parts.ts";

const noCallbacks = html`<p class="quiet">There are no callbacks. The first is sent when the consumer pays or the order
expires.</p>`;

/** The page of one order: its data, its callbacks, and what a user can do with it. */
export function orderPage(service: Service, order: Order, checkoutUrl: string): Answer {
  const nowMilliseconds = service.clock.nowMilliseconds();
  const body = html`<div class="columns">
<div>
<section class="card" id="order" data-live>
<div class="line"><h1>Order ${order.orderNo}</h1> ${badge(order.status)}</div>
${details(order, checkoutUrl, service)}
</section>
<section class="card" id="callbacks" data-live>
<h2>Callbacks</h2>
${order.callbacks.length === 0 && noCallbacks}
${order.callbacks.map((callback) => callbackPart(order, callback, nowMilliseconds))}
</section>
</div>
<div>
<section class="card" id="consumer" data-live><h2>The consumer</h2>${consumerForm(order)}</section>
<section class="card" id="refunds" data-live><h2>Refund</h2>${refundPart(order)}</section>
</div>
</div>
<section class="card" id="faults" data-live><h2>Faults for this order</h2>
${faultSwitches(service.faults.list(), order)}</section>`;
  return page({ title: `Order ${order.orderNo}` }, body);
}

function details(order: Order, checkoutUrl: string, { clock, callbackUrl }: Service): Html {
  const leftMilliseconds = order.expiresMilliseconds - clock.nowMilliseconds();
  return html`<dl>
<dt>Amount</dt><dd>${moneyText(order.amount)}</dd>
<dt>Merchant</dt><dd>${order.merchant.merchantId}</dd>
<dt>Payment</dt><dd><code>${order.paymentId}</code></dd>
${order.transactionId && html`<dt>Transaction</dt><dd><code>${order.transactionId}</code></dd>`}
${order.msg && html`<dt>Reason</dt><dd>${order.msg}</dd>`}
${order.status === "pending" && html`<dt>Expires</dt><dd>in ${span(leftMilliseconds)}</dd>`}
<dt>Checkout</dt><dd><a href="${checkoutUrl}">${checkoutUrl}</a></dd>
<dt>Callbacks to</dt><dd>${callbackUrl ?? order.callbackUrl ?? "no address given"}</dd>
<dt>Redirect to</dt><dd>${order.redirectUrl ?? "no address given"}</dd>
</dl>`;
}

function callbackPart(order: Order, callback: Callback, nowMilliseconds: number): Html {
  const { nextAttemptMilliseconds, attempts } = callback;
  const next =
    nextAttemptMilliseconds !== undefined &&
    attempts.length > 0 &&
    nextAttemptMilliseconds - nowMilliseconds;
  return html`<div class="callback">
<div class="line"><h3>${callback.eventName}</h3> ${badge(callback.state)}
${sendAgainForm(order, callback)}</div>
<p class="quiet"><code>${callback.id}</code>${next !== false && ` · next attempt in ${span(next)}`}</p>
${attempts.length > 0 && tableOf(attemptHeadings, attempts.map(attemptRow), "attempts")}
</div>`;
}

const attemptHeadings = ["Time (UTC)", "Answer", "Took", "Fault"];

function attemptRow(attempt: Attempt): Html {
  const { httpStatus, detail } = attempt;
  const status = httpStatus === undefined ? "no answer:" : `HTTP ${httpStatus}`;
  return html`<tr>
<td class="number" data-label="Time (UTC)">${clockTime(attempt.startedMilliseconds)}</td>
<td data-label="Answer"><span>${status} <code>${detail}</code>${oddAnswer(attempt)}</span></td>
<td class="number" data-label="Took">${attempt.durationMilliseconds} ms</td>
<td data-label="Fault">${attempt.faults.join(", ") || "–"}</td>
</tr>`;
}

const expectedAnswer = /^\s*\{\s*"code"\s*:\s*"?20000"?\s*,\s*"msg"\s*:\s*""\s*\}\s*$/;

/** §4.4 defines the answer, but §6 looks only at the status. So this is a hint and not a failure. */
function oddAnswer({ httpStatus, detail }: Attempt): Html | false {
  if (httpStatus !== 200 || expectedAnswer.test(detail)) return false;
  return html` <span class="quiet">(expected {"code":20000,"msg":""})</span>`;
}

function sendAgainForm(order: Order, { id, state }: Callback): Html | false {
  if (state === "lost" || state === "no address") return false;
  return html`<form method="post" action="/callbacks/${id}/send-again">
<input type="hidden" name="paymentId" value="${order.paymentId}"><button class="small">Send again</button>
</form>`;
}

function consumerForm(order: Order): Html {
  if (order.status !== "pending") {
    return html`<p class="quiet">The order is no longer pending, so there is nothing to do.</p>`;
  }
  return html`<p class="quiet">In place of the checkout page:</p>
<form method="post" action="/orders/${order.paymentId}/act" class="buttons">
<button name="action" value="pay">Pay</button>
<button name="action" value="fail">Fail</button>
<button name="action" value="expire">Let it expire</button>
</form>`;
}

function refundPart(order: Order): Html {
  const { refunds, status } = order;
  const table =
    refunds.length > 0 && tableOf(["Amount", "Number", "Status"], refunds.map(refundRow));
  const why =
    status === "success" ? "The whole amount is refunded." : "Only a paid order can be refunded.";
  const form =
    refundable(order).minorUnits > 0n ? refundForm(order) : html`<p class="quiet">${why}</p>`;
  return html`${table}${form}`;
}

function refundRow(refund: Refund): Html {
  return html`<tr>
<td class="number" data-label="Amount">${decimalText(refund.amount)}</td>
<td data-label="Number">${refund.referRefundNo}</td>
<td data-label="Status"><span>${badge(refund.status)}</span></td>
</tr>`;
}

function refundForm(order: Order): Html {
  const left = refundable(order);
  return html`<form method="post" action="/orders/${order.paymentId}/refund">
<label>Amount in ${left.currency}, at most ${decimalText(left)}
<input name="amount" inputmode="decimal" required value="${decimalText(left)}"></label>
<label>Your refund number (optional)<input name="referRefundNo" maxlength="64"></label>
<div class="buttons">
<button class="primary" id="refund" name="outcome" value="success">Refund</button>
<button id="refund-fail" name="outcome" value="failed">Refund that fails</button>
</div>
</form>`;
}
