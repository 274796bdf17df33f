import { createHash } from "node:crypto";

export interface Tea {
  readonly id: string;
  readonly name: string;
  readonly origin: string;
  readonly price: string;
}

export type State =
  | "not-started"
  | "pending"
  | "confirming"
  | "success"
  | "packed"
  | "failed"
  | "timeout"
  | "not-asked";

interface StateWords {
  readonly title: string;
  readonly sentence: string;
  readonly mood: "good" | "open" | "bad";
  /** The label of the button that pays, if there is one. */
  readonly button?: string;
}

const words: Readonly<Record<State, StateWords>> = {
  "not-started": {
    title: "We could not start your payment",
    sentence: "Nothing was charged.",
    mood: "bad",
    button: "Try again",
  },
  pending: {
    title: "Not paid yet",
    sentence: "This page updates itself when you have paid.",
    mood: "open",
  },
  confirming: {
    title: "Waiting for your bank",
    sentence: "It is confirming your payment.",
    mood: "open",
  },
  success: {
    title: "Paid. Thank you!",
    sentence: "Your tea goes to the packing table now.",
    mood: "good",
  },
  packed: {
    title: "Paid and packed",
    sentence: "Your tea is on its way. Put the kettle on.",
    mood: "good",
  },
  failed: {
    title: "The payment failed",
    sentence: "Nothing was charged.",
    mood: "bad",
    button: "Try again",
  },
  timeout: {
    title: "The time to pay is over",
    sentence: "Nothing was charged.",
    mood: "bad",
    button: "Order again",
  },
  "not-asked": {
    title: "We could not ask right now",
    sentence: "Your order is safe. We keep asking.",
    mood: "open",
    button: "Try again",
  },
};

const refundTexts = {
  refunding: "is on its way to you",
  refund_success: "refunded",
  refund_failed: "could not be refunded. We will contact you",
} as const;

interface ShownOrder {
  readonly orderNo: string;
  readonly tea: Tea;
  readonly state: State;
  readonly checkoutUrl: string | undefined;
  /** The number under which the button pays. Without it there is no button. */
  readonly payableOrderNo: string | undefined;
  readonly notices: readonly (string | false | undefined)[];
  readonly refunds: readonly {
    readonly status: keyof typeof refundTexts;
    readonly amount?: { readonly value: string } | undefined;
  }[];
}

export function orderPage(order: ShownOrder): string {
  const { orderNo, tea, state, checkoutUrl = "", payableOrderNo } = order;
  const { title, sentence, mood, button } = words[state];
  const refunds = order.refunds.map(
    ({ status, amount }) => `$${amount?.value} ${refundTexts[status]}.`,
  );
  const notices = [...order.notices.filter((notice) => typeof notice === "string"), ...refunds];
  const checkout = `<a class="button primary" href="${escapeHtml(checkoutUrl)}">Go to the checkout</a>`;
  const main = `<article class="card order ${mood}">
<p class="quiet">Order ${orderNo}: ${tea.name}, $${tea.price}</p><h1>${title}</h1><p>${sentence}</p>
${notices.map((notice) => `<p class="notice">${escapeHtml(notice)}</p>`).join("")}
${state === "pending" ? checkout : ""}
${button && payableOrderNo ? payForm(payableOrderNo, tea, button) : ""}
<a href="/">Back to the shelf</a></article>`;
  return layout(title, main, true);
}

export function shelfPage(teas: readonly Tea[], newOrderNo: () => string): string {
  const cards = teas.map(
    (tea) => `<li class="card tea"><div><h2>${tea.name}</h2><p class="quiet">${tea.origin}</p></div>
<p class="price">$${tea.price}</p>${payForm(newOrderNo(), tea, "Buy")}</li>`,
  );
  return layout("Tea", `<h1>What shall we brew?</h1><ul class="teas">${cards.join("")}</ul>`);
}

/** The form contains the order number before the click, so sending it twice creates one order. */
function payForm(orderNo: string, { id, name }: Tea, label: string): string {
  return `<form method="post" action="/orders"><input type="hidden" name="orderNo" value="${orderNo}">
<button class="primary" name="tea" value="${id}">${label}<span class="unseen"> ${name}</span></button></form>`;
}

export function messagePage(title: string, text: string): string {
  const main = `<h1>${title}</h1><p>${text}</p><a href="/">Back to the shelf</a>`;
  return layout(title, `<article class="card order">${main}</article>`);
}

/** Reloads every two seconds, and changes the page only if its content is new. */
const script = `setInterval(async () => {
  const page = new DOMParser().parseFromString(await (await fetch(location)).text(), "text/html");
  const [now, next] = [document, page].map((source) => source.querySelector("main"));
  if (now.innerHTML !== next.innerHTML) now.innerHTML = next.innerHTML;
}, 2000);`;

const noScript = `<noscript><meta http-equiv="refresh" content="2"></noscript>`;

function layout(title: string, main: string, isLive = false): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title} · Quiet Kettle</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><link rel="icon" href="data:,">
<link rel="stylesheet" href="/style.css">${isLive ? noScript : ""}</head>
<body><header><a class="brand" href="/">Quiet Kettle</a><p>Tea, one cup at a time</p></header>
<main aria-live="polite">${main}</main>
<footer><p>A demo of Paycast. No money moves, no tea is sent, and the shop forgets everything when it stops.</p></footer>
${isLive ? `<script>${script}</script>` : ""}</body></html>`;
}

function escapeHtml(value: string): string {
  return value.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

const scriptHash = createHash("sha256").update(script).digest("base64");

export const pageHeaders = {
  "content-security-policy": `default-src 'none'; script-src 'sha256-${scriptHash}'; style-src 'self'; img-src data:; connect-src 'self'; base-uri 'none'; frame-ancestors 'none'`,
  "cache-control": "no-store",
};
