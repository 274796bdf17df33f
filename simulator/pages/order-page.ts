import { type Html, html } from "../http/html.ts";
import type { Answer } from "../http/route.ts";
import { decimalText, moneyText } from "../orders/money.ts";
import {
  type Attempt,
  type Callback,
  type Order,
  type Refund,
  refundable,
} from "../orders/order.ts";
import type { Clock } from "../service/clock.ts";
import type { Service } from "../service/service.ts";
import { faultBanner, faultSwitches } from "./fault-switches.ts";
import type { MerchantSystem } from "./merchant-system.ts";
import { type Fields, type Notice, refused } from "./notices.ts";
import { badge, card, clockTime, countdown, operatorPage, tableOf } from "./page-parts.ts";

const noCallbacks = html`<p class="empty">There are no callbacks yet. The first is sent when the consumer pays or the
order expires.</p>`;

export interface OrderLinks {
  readonly checkoutUrl: string;
  readonly merchantSystem: MerchantSystem | undefined;
}

/** The page of one order: its data, its callbacks, and what a user can do with it. */
export function orderPage(
  service: Service,
  order: Order,
  links: OrderLinks,
  notice: Notice | undefined,
): Answer {
  const { checkoutUrl } = links;
  const title = `Order ${order.orderNo}`;
  const faults = service.faults.list();
  const orderCard = { live: true, level: 1, aside: badge(order.status) } as const;
  const live = { live: true };
  const body = html`<p class="trail"><a href="/">All orders</a></p>
${faultBanner(faults, order)}
<div class="columns">
<div>
${card("order", title, details(order, links, service), orderCard)}
${card("callbacks", "Callbacks", callbacksPart(order, service.clock), live)}
</div>
<div>
${card("consumer", "The consumer", consumerForm(order, checkoutUrl), live)}
${card("refunds", "Refunds", refundPart(order, refused(notice, "refund")), live)}
</div>
${card("faults", "Faults for this order", faultSwitches(faults, order), live)}
</div>`;
  return operatorPage(title, service.clock, notice, body);
}

function details(order: Order, links: OrderLinks, { clock, callbackUrl }: Service): Html {
  const { checkoutUrl, merchantSystem } = links;
  return html`<p class="amount">${moneyText(order.amount)}</p>
<dl>
${order.msg && html`<dt>Reason</dt><dd>${order.msg}</dd>`}
${order.status === "pending" && html`<dt>Expires</dt><dd>in ${countdown(order.expiresMilliseconds, clock)}</dd>`}
${order.transactionId && html`<dt>Transaction</dt><dd><code>${order.transactionId}</code></dd>`}
<dt>Payment</dt><dd><code>${order.paymentId}</code></dd>
<dt>Merchant</dt><dd>${order.merchant.merchantId}</dd>
<dt>Checkout</dt><dd><a href="${checkoutUrl}">${checkoutUrl}</a></dd>
<dt>Callbacks to</dt><dd>${callbackUrl ?? order.callbackUrl ?? "no address given"}</dd>
<dt>Redirect to</dt><dd>${order.redirectUrl ?? "no address given"}</dd>
</dl>
${merchantLink(order, merchantSystem)}`;
}

function merchantLink(order: Order, system: MerchantSystem | undefined): Html | false {
  const url = system?.orderUrl(order.merchant.merchantId, order.orderNo);
  if (system === undefined || url === undefined) return false;
  return html`<p><a id="merchant-order" href="${url}">See this order in ${system.name}</a></p>`;
}

function callbacksPart(order: Order, clock: Clock): Html {
  if (order.callbacks.length === 0) return noCallbacks;
  return html`${order.callbacks.map((callback) => callbackPart(order, callback, clock))}`;
}

function callbackPart(order: Order, callback: Callback, clock: Clock): Html {
  const { nextAttemptMilliseconds: next, attempts } = callback;
  return html`<div class="callback">
<div class="line"><h3>${callback.eventName}</h3> ${badge(callback.state)}
${sendAgainForm(order, callback)}</div>
<p class="quiet"><code>${callback.id}</code>${next !== undefined && html` · next attempt in ${countdown(next, clock)}`}</p>
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
<td data-label="Fault" class="${attempt.faults.length === 0 && "none"}">${attempt.faults.join(", ") || "–"}</td>
</tr>`;
}

const expectedAnswer = /^\s*\{\s*"code"\s*:\s*"?20000"?\s*,\s*"msg"\s*:\s*""\s*\}\s*$/;

/** §4.4 defines the answer, but §6 looks only at the status. So this is a hint and not a failure. */
function oddAnswer({ httpStatus, detail }: Attempt): Html | false {
  if (httpStatus !== 200 || expectedAnswer.test(detail)) return false;
  return html` <span class="quiet">(expected {"code":20000,"msg":""})</span>`;
}

function sendAgainForm(order: Order, { id, state, eventName }: Callback): Html | false {
  if (state === "lost" || state === "no address") return false;
  return html`<form method="post" action="/callbacks/${id}/send-again">
<input type="hidden" name="paymentId" value="${order.paymentId}"><button class="small" aria-label="Send ${eventName} again">Send again</button>
</form>`;
}

function consumerForm(order: Order, checkoutUrl: string): Html {
  if (order.status !== "pending") {
    return html`<p class="quiet">The consumer has nothing more to do: the order is no longer pending.</p>`;
  }
  return html`<p><a href="${checkoutUrl}">Open the checkout page</a></p>
<p class="quiet">Or choose what the consumer does there:</p>
<form method="post" action="/orders/${order.paymentId}/act" class="buttons">
<button name="action" value="pay">Pay</button>
<button name="action" value="fail">Fail</button>
<button name="action" value="expire">Let it expire</button>
</form>`;
}

function refundPart(order: Order, typed: Fields | undefined): Html {
  const { refunds, status } = order;
  const table =
    refunds.length > 0 && tableOf(["Amount", "Number", "Status"], refunds.map(refundRow));
  const why =
    status === "success" ? "The whole amount is refunded." : "Only a paid order can be refunded.";
  const form =
    refundable(order).minorUnits > 0n
      ? refundForm(order, typed)
      : html`<p class="quiet">${why}</p>`;
  return html`${table}${form}`;
}

function refundRow(refund: Refund): Html {
  return html`<tr>
<td class="number" data-label="Amount">${decimalText(refund.amount)}</td>
<td data-label="Number">${refund.referRefundNo}</td>
<td data-label="Status"><span>${badge(refund.status)}</span></td>
</tr>`;
}

function refundForm(order: Order, typed: Fields = {}): Html {
  const left = refundable(order);
  return html`<form method="post" action="/orders/${order.paymentId}/refund">
<label>Amount in ${left.currency}, at most ${decimalText(left)}
<input name="amount" inputmode="decimal" required value="${typed["amount"] ?? decimalText(left)}"></label>
<label>Your refund number (optional)<input name="referRefundNo" maxlength="64" value="${typed["referRefundNo"] ?? ""}"></label>
<div class="buttons">
<button class="primary" id="refund" name="outcome" value="success">Refund</button>
<button id="refund-fail" name="outcome" value="failed">Refund that fails</button>
</div>
</form>`;
}
