import { orderPath, type Purchase } from "../memory.ts";
import { type Asked, type OrderState, stateOf } from "../order-state.ts";
import type { PaidOrder, Refund } from "../paycast-api.ts";
import { type Html, html } from "./html.ts";
import { layout, lineList, money } from "./layout.ts";

interface Told {
  readonly title: string;
  readonly text: string;
  readonly mood: "good" | "open" | "bad";
  /** The button that starts the payment again. */
  readonly again?: string;
}

const told: Readonly<Record<OrderState, Told>> = {
  "not-started": {
    title: "We could not start your payment",
    text: "Nothing was charged, and nothing of your order is lost. Please try again in a moment.",
    mood: "bad",
    again: "Try again",
  },
  unpaid: {
    title: "Not paid yet",
    text: "Your tea is reserved. This page changes by itself when you have paid.",
    mood: "open",
  },
  "waiting-for-bank": {
    title: "Waiting for your bank",
    text: "You have paid, and your bank is confirming it. This page changes by itself.",
    mood: "open",
  },
  paid: {
    title: "Paid. Thank you!",
    text: "Your tea goes to the packing table now.",
    mood: "good",
  },
  packed: {
    title: "Paid and packed",
    text: "Your tea is packed and on its way. Put the kettle on.",
    mood: "good",
  },
  failed: {
    title: "The payment failed",
    text: "Nothing was charged, and your tea is still here. Please try again.",
    mood: "bad",
    again: "Try again",
  },
  expired: {
    title: "The time to pay is over",
    text: "The order has expired and nothing was charged. You can order the same tea again.",
    mood: "bad",
    again: "Order again",
  },
  "not-asked": {
    title: "We could not ask right now",
    text: "Your order is safe. We do not know at the moment whether it is paid, and keep asking.",
    mood: "open",
  },
};

const soonSeconds = 2;
/** Nothing is expected then, but a refund or a late payment may still come. */
const laterSeconds = 10;

/** The page of an order, where the customer comes back from the checkout. */
export function orderPage(orderNo: string, purchase: Purchase, asked: Asked): string {
  const state = stateOf(asked, orderNo, purchase);
  const { title, text, mood, again } = told[state];
  const isOpen = mood === "open" || state === "paid";
  const order = typeof asked === "object" ? asked : undefined;
  return layout(
    {
      title,
      announcement: `${title}. ${text}`,
      lookAgainSeconds: isOpen ? soonSeconds : laterSeconds,
    },
    html`<article class="card order ${mood}" data-state="${state}">
<p class="quiet">Order ${orderNo}</p>
<h1>${title}</h1>
<p>${text}</p>
${order && warnings(order)}
${steps(state)}
${lineList(purchase.lines)}
${order && refundList(order.refunds)}
${state === "unpaid" && html`<a class="button primary" id="checkout" href="${order?.checkoutUrl ?? ""}">Go to the checkout</a>`}
${again !== undefined && againForm(orderNo, again)}
<a href="/">Back to the shelf</a>
</article>`,
  );
}

function againForm(orderNo: string, label: string): Html {
  return html`<form method="post" action="${orderPath(orderNo)}/pay"><button class="primary" id="again">${label}</button></form>`;
}

function warnings({ stale, flags }: PaidOrder): Html[] {
  const texts = [
    stale && "We could not ask right now. This is the last that we know; we keep asking.",
    ["mismatch", "refunded", "unknownOrder", "refusedOrder"].some((flag) => flags.includes(flag)) &&
      "We are checking your payment before we pack your tea, and will contact you.",
    flags.includes("duplicatePayment") && "You have paid twice. We will give one payment back.",
  ];
  return texts.flatMap((text) => (text === false ? [] : [html`<p class="notice">${text}</p>`]));
}

const stepNames = ["Ordered", "Paid", "Packed"];
const stepsDone: Partial<Record<OrderState, number>> = { paid: 2, packed: 3 };

/** How far the order has come. Not shown if it has ended without success. */
function steps(state: OrderState): Html | undefined {
  if (told[state].mood === "bad") return undefined;
  const done = stepsDone[state] ?? 1;
  return html`<ol class="steps">${stepNames.map(
    (name, index) =>
      html`<li${index < done && html` class="done"`}>${name}<span class="unseen">${index < done ? ": done" : ": not yet"}</span></li>`,
  )}</ol>`;
}

const refundTexts: Readonly<Record<Refund["status"], string>> = {
  refunding: "on its way to you",
  refund_success: "paid back",
  refund_failed: "could not be paid back. We will contact you",
};

function refundList(refunds: readonly Refund[]): Html | undefined {
  if (refunds.length === 0) return undefined;
  return html`<h2>Refunds</h2><ul>${refunds.map(
    ({ amount, status }) =>
      html`<li>${amount ? money(amount.value, amount.currency) : "A part"} ${refundTexts[status]}.</li>`,
  )}</ul>`;
}

export function messagePage(title: string, text: string): string {
  return layout(
    { title },
    html`<article class="card order"><h1>${title}</h1>
<p>${text}</p>
<a href="/">Back to the shelf</a></article>`,
  );
}
