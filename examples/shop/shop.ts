import { createHash, randomBytes } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as wait } from "node:timers/promises";
import { DeleteMessageCommand, ReceiveMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import { SignatureV4 } from "@smithy/signature-v4";
import * as z from "zod";

/*
 * A shop that sells tea through Paycast, in one file: what it sells, Paycast's API, packing, pages, server, settings.
 */

// ---- What the shop sells, and what it remembers. A real shop has a database here. ----

const teas = [
  { id: "sencha", name: "Sencha", origin: "Green tea · Shizuoka", price: "6.40" },
  { id: "assam", name: "Assam", origin: "Black tea · Brahmaputra valley", price: "5.20" },
  { id: "jasmine", name: "Jasmine pearls", origin: "Scented tea · Fujian", price: "9.80" },
  { id: "chai", name: "Masala chai", origin: "Spiced tea · our own blend", price: "5.75" },
] as const;
type Tea = (typeof teas)[number];

/** One packet of tea that somebody wants. Each try to pay for it has an order number: TEA-1F, TEA-1F-2, TEA-1F-3. */
interface Purchase {
  readonly tea: Tea;
  isPacked: boolean;
}
const purchases = new Map<string, Purchase>();

const purchaseId = (orderNo: string) => orderNo.split("-").slice(0, 2).join("-");
const newOrderNo = () => `TEA-${randomBytes(8).toString("hex").toUpperCase()}`;

/** An order that failed or expired is over: the next try has the next number. Two clicks get the same one. */
function nextOrderNo(orderNo: string): string {
  const [, , tries = "1"] = orderNo.split("-");
  return `${purchaseId(orderNo)}-${Number(tries) + 1}`;
}

// ---- Paycast's storefront API, called by the server alone: a browser must not be able to create orders. ----

/** The fields of Paycast's order that this shop uses. `docs/openapi.json` describes all of them. */
const orderSchema = z.object({
  status: z.enum(["pending", "confirming", "timeout", "failed", "success", "refused"]),
  /** True if the payment service may know a newer status. */
  stale: z.boolean(),
  /** Absent if the payment service does not have the order. */
  checkoutUrl: z.url({ protocol: /^https?$/ }).optional(),
  refunds: z.array(
    z.object({
      status: z.enum(["refunding", "refund_success", "refund_failed"]),
      amount: z.object({ value: z.string() }).optional(),
    }),
  ),
  flags: z.array(z.string()),
});
type Order = z.output<typeof orderSchema>;

/**
 * Creates the order and returns the address for the browser: the checkout, or the order's page. The same order again gives
 * the same order, so a double click, a reload and a new try after a lost answer are all this call under the same number.
 */
async function pay(orderNo: string, { name, id, price }: Tea): Promise<string> {
  const redirectUrl = `${settings.address}/orders/${orderNo}`;
  const goods = [{ referenceGoodsId: id, goodsName: name, goodsAmount: price, goodsQuantity: 1 }];
  const body = {
    channel: "WEB",
    currency: "USD",
    paymentAmount: price,
    redirectUrl,
    order: { orderNo, orderAmount: price, goods },
  };
  try {
    const order = await callPaycast("POST", "/orders", JSON.stringify(body));
    console.log(`${orderNo} created: ${name}`);
    return (order?.status === "pending" && order.checkoutUrl) || redirectUrl;
  } catch (error) {
    // The order may or may not exist now. The customer tries again under the same number, so there is at most one.
    console.log(`${orderNo} could not be created. ${describe(error)}`);
    return redirectUrl;
  }
}

/** "unknown" if Paycast does not have the order, "no-answer" if it could not be asked. */
type Asked = Order | "unknown" | "no-answer";

async function ask(orderNo: string): Promise<Asked> {
  try {
    return (await callPaycast("GET", `/orders/${orderNo}`)) ?? "unknown";
  } catch (error) {
    console.log(`${orderNo} could not be asked about. ${describe(error)}`);
    return "no-answer";
  }
}

async function callPaycast(
  method: string,
  path: string,
  body?: string,
): Promise<Order | undefined> {
  const url = new URL(path, settings.api);
  const headers = await authorize(method, url, body);
  // Paycast waits some seconds for the payment service. API Gateway gives up after 30 seconds.
  const signal = AbortSignal.timeout(31_000);
  const answer = await fetch(url, { method, headers, signal, body: body ?? null });
  if (answer.status === 404) return undefined;
  const said = await answer.text();
  if (answer.ok) return orderSchema.parse(JSON.parse(said));
  // A problem document (RFC 9457). It is for the terminal: the customer reads a plain sentence.
  throw new Error(`${method} ${path} answered ${answer.status}: ${said}`);
}

/** Who calls: nobody on the local stack, a token with `"access": "jwt"`, an AWS signature with `"access": "iam"`. */
async function authorize(method: string, url: URL, body?: string): Promise<Record<string, string>> {
  const json = { "content-type": "application/json" };
  const { token, isLocal, sqs } = settings;
  if (isLocal) return json;
  if (token !== undefined) return { ...json, authorization: `Bearer ${token}` };
  const { region, credentials, sha256 } = sqs.config;
  const signer = new SignatureV4({ service: "execute-api", region, credentials, sha256 });
  const { protocol, hostname, pathname: path } = url;
  const headers = { ...json, host: url.host };
  return (await signer.sign({ method, protocol, hostname, path, headers, body })).headers;
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return `${error.message}${error.cause instanceof Error ? `: ${error.cause.message}` : ""}`;
}

// ---- Packing. It acts on the event and not on the page: who pays and closes the browser gets the tea all the same. ----

/** The fields of Paycast's events that this shop uses. `docs/subscribing.md` describes all of them. */
const eventSchema = z.object({
  id: z.string(),
  type: z.string(),
  data: z.object({
    orderNo: z.string().default("An order"),
    amount: z.object({ value: z.string() }).optional(),
    flags: z.array(z.string()),
  }),
});

/** With one of these flags nothing is packed before a person has looked. */
const questions: ReadonlyMap<string, string> = new Map([
  ["mismatch", "the amount paid is not the amount of the order."],
  ["duplicatePayment", "it was paid twice. Refund one payment."],
  ["unknownOrder", "it was not created through Paycast."],
  ["refunded", "the payment service has a refund of it."],
  ["refusedOrder", "the payment service had refused the order."],
]);

async function packOrders(stopped: AbortSignal): Promise<void> {
  while (!stopped.aborted) {
    try {
      if (isReadInLab()) await wait(1_000, undefined, { signal: stopped });
      else await handleMessages(stopped);
    } catch (error) {
      if (stopped.aborted) return;
      console.log(`The queue cannot be read: ${describe(error)}`);
      await wait(3_000, undefined, { signal: stopped }).catch(() => {});
    }
  }
}

/** Two consumers of one queue would take events from each other, so the shop waits for the one in the console's Lab. */
function isReadInLab(): boolean {
  const isRead = settings.isLocal && readLocal().queues.readInLab.includes("fulfilment");
  if (isRead !== wasReadInLab) console.log(isRead ? labReads : "This shop reads fulfilment again.");
  wasReadInLab = isRead;
  return isRead;
}

let wasReadInLab = false;
const labReads = "A consumer of the Lab reads fulfilment now. This shop packs nothing meanwhile.";

const handled = new Set<string>();

async function handleMessages(stopped: AbortSignal): Promise<void> {
  const { sqs, queueUrl: QueueUrl, waitSeconds: WaitTimeSeconds } = settings;
  const receive = { QueueUrl, MaxNumberOfMessages: 10, WaitTimeSeconds };
  const found = await sqs.send(new ReceiveMessageCommand(receive), { abortSignal: stopped });
  for (const { Body = "", ReceiptHandle } of found.Messages ?? []) {
    const event = eventSchema.parse(JSON.parse(Body));
    // An event may come twice. Its id is the same each time.
    if (!handled.has(event.id)) console.log(handleEvent(event));
    handled.add(event.id);
    // The local stack also has orders that are not of this shop. Their events stay in the queue.
    if (!purchases.has(purchaseId(event.data.orderNo))) continue;
    // Deleted only after it was handled: if the shop crashes before, the event comes again.
    await sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
  }
}

function handleEvent({ type, data }: z.output<typeof eventSchema>): string {
  const { orderNo, amount, flags } = data;
  const purchase = purchases.get(purchaseId(orderNo));
  if (purchase === undefined)
    return `${orderNo} is not an order of this shop. Its event stays in the queue.`;
  if (type === "payment.refund.success") return `${orderNo} was refunded: ${amount?.value} USD`;
  if (type !== "payment.order.success") return `${orderNo} ${type}: nothing to pack.`;
  if (purchase.isPacked)
    return `do not pack ${orderNo} again: ${questions.get("duplicatePayment")}`;
  const flag = flags.find((name) => questions.has(name));
  if (flag !== undefined) return `do not pack ${orderNo}: ${questions.get(flag)}`;
  purchase.isPacked = true;
  return `pack ${purchase.tea.name} for ${orderNo}`;
}

// ---- Pages. The status comes from Paycast, never from the address that the customer came back with. ----

type State = Exclude<Order["status"], "refused"> | "packed" | "not-started" | "not-asked";

/** Headline, sentence, mood, and the button that pays, if there is one. */
const words: Readonly<Record<State, readonly [string, string, "good" | "open" | "bad", string?]>> =
  {
    "not-started": ["We could not start your payment", "Nothing was charged.", "bad", "Try again"],
    pending: ["Not paid yet", "This page changes by itself when you have paid.", "open"],
    confirming: ["Waiting for your bank", "It is confirming your payment.", "open"],
    success: ["Paid. Thank you!", "Your tea goes to the packing table now.", "good"],
    packed: ["Paid and packed", "Your tea is on its way. Put the kettle on.", "good"],
    failed: ["The payment failed", "Nothing was charged.", "bad", "Try again"],
    timeout: ["The time to pay is over", "Nothing was charged.", "bad", "Order again"],
    "not-asked": [
      "We could not ask right now",
      "Your order is safe. We keep asking.",
      "open",
      "Try again",
    ],
  };

function stateOf(asked: Asked, { isPacked }: Purchase): State {
  if (isPacked) return "packed";
  if (asked === "no-answer") return "not-asked";
  if (asked === "unknown" || asked.status === "refused") return "not-started";
  return asked.status === "pending" && !asked.checkoutUrl ? "not-started" : asked.status;
}

async function orderPage(orderNo: string, purchase: Purchase): Promise<string> {
  const asked = await ask(orderNo);
  const state = stateOf(asked, purchase);
  const [title, sentence, mood, again] = words[state];
  const order = typeof asked === "string" ? undefined : asked;
  // Only a certain end gives the customer the next number: otherwise two payments would be possible.
  const isOver = (state === "failed" || state === "timeout") && order?.stale === false;
  const { tea } = purchase;
  const checkout = `<a class="button primary" href="${escapeHtml(order?.checkoutUrl ?? "")}">Go to the checkout</a>`;
  const main = `<article class="card order ${mood}">
<p class="quiet">Order ${orderNo}: ${tea.name}, $${tea.price}</p><h1>${title}</h1><p>${sentence}</p>
${noticesOf(order)
  .map((notice) => `<p class="notice">${escapeHtml(notice)}</p>`)
  .join("")}
${state === "pending" ? checkout : ""}
${again ? payForm(isOver ? nextOrderNo(orderNo) : orderNo, tea, again) : ""}
<a href="/">Back to the shelf</a></article>`;
  return layout(title, main, true);
}

function noticesOf({ stale, flags, refunds }: Partial<Order> = {}): string[] {
  const isChecked = flags?.some((flag) => flag !== "duplicatePayment" && questions.has(flag));
  const notices = [
    stale && "We could not ask right now. This is the last that we know; we keep asking.",
    isChecked && "We are checking your payment before we pack your tea, and will contact you.",
    flags?.includes("duplicatePayment") && "You have paid twice. We will give one payment back.",
    ...(refunds ?? []).map(({ status, amount }) => `$${amount?.value} ${refundTexts[status]}.`),
  ];
  return notices.filter((notice) => typeof notice === "string");
}

const refundTexts = {
  refunding: "on its way to you",
  refund_success: "paid back",
  refund_failed: "could not be paid back. We will contact you",
} as const;

/** The number is chosen before the click, so that a form that is sent twice makes one order. */
const payForm = (orderNo: string, { id, name }: Tea, label: string) =>
  `<form method="post" action="/orders"><input type="hidden" name="orderNo" value="${orderNo}">
<button class="primary" name="tea" value="${id}">${label}<span class="unseen"> ${name}</span></button></form>`;

function shelfPage(): string {
  const cards = teas.map(
    (tea) => `<li class="card tea"><div><h2>${tea.name}</h2><p class="quiet">${tea.origin}</p></div>
<p class="price">$${tea.price}</p>${payForm(newOrderNo(), tea, "Buy")}</li>`,
  );
  return layout("Tea", `<h1>What shall we brew?</h1><ul class="teas">${cards.join("")}</ul>`);
}

const messagePage = (title: string, text: string) =>
  layout(
    title,
    `<article class="card order"><h1>${title}</h1><p>${text}</p><a href="/">Back to the shelf</a></article>`,
  );

/** Looks again every two seconds, and changes the page only if there is something new. */
const script = `setInterval(async () => {
  const page = new DOMParser().parseFromString(await (await fetch(location)).text(), "text/html");
  const [now, next] = [document, page].map((source) => source.querySelector("main"));
  if (now.innerHTML !== next.innerHTML) now.innerHTML = next.innerHTML;
}, 2000);`;

function layout(title: string, main: string, looksAgain = false): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title} · Quiet Kettle</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><link rel="icon" href="data:,">
<link rel="stylesheet" href="/style.css">${looksAgain ? `<noscript><meta http-equiv="refresh" content="2"></noscript>` : ""}</head>
<body><header><a class="brand" href="/">Quiet Kettle</a><p>Tea, one cup at a time</p></header>
<main aria-live="polite">${main}</main>
<footer><p>A demo of Paycast. No money moves, no tea is sent, and the shop forgets everything when it stops.</p></footer>
${looksAgain ? `<script>${script}</script>` : ""}</body></html>`;
}

const escapeHtml = (value: string) =>
  value.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

// ---- The server, for browsers on this machine. ----

type Answer = { readonly status: number; readonly page: string } | { readonly seeOther: string };

async function answerBrowser(request: IncomingMessage): Promise<Answer> {
  const { method = "GET", headers } = request;
  const { origin, host } = new URL(settings.address);
  const { pathname } = new URL(request.url ?? "/", origin);
  // Other sites must not read or change anything here, though the browser that shows them runs on this machine.
  if (headers.host !== host || (method === "POST" && headers.origin !== origin)) {
    return {
      status: 403,
      page: messagePage("This is not possible", `Open the shop at ${origin}.`),
    };
  }
  if (method === "POST" && pathname === "/orders") return await startOrder(await text(request));
  if (pathname === "/") return { status: 200, page: shelfPage() };
  const orderNo = /^\/orders\/(TEA-[0-9A-F]{16}(?:-\d{1,3})?)$/.exec(pathname)?.[1] ?? "";
  const purchase = purchases.get(purchaseId(orderNo));
  if (purchase !== undefined) return { status: 200, page: await orderPage(orderNo, purchase) };
  const why = "The shop keeps its orders in memory, and forgets them when it stops.";
  return { status: 404, page: messagePage("We do not know this order", why) };
}

async function startOrder(body: string): Promise<Answer> {
  const form = new URLSearchParams(body);
  const orderNo = /^TEA-[0-9A-F]{16}(-\d{1,3})?$/.exec(form.get("orderNo") ?? "")?.[0];
  const tea = teas.find(({ id }) => id === form.get("tea"));
  if (orderNo === undefined || tea === undefined) return { seeOther: "/" };
  const purchase = purchases.get(purchaseId(orderNo)) ?? { tea, isPacked: false };
  purchases.set(purchaseId(orderNo), purchase);
  if (purchase.isPacked) return { seeOther: `/orders/${orderNo}` };
  const underWay = paying.get(orderNo) ?? pay(orderNo, purchase.tea);
  paying.set(orderNo, underWay);
  return { seeOther: await underWay.finally(() => paying.delete(orderNo)) };
}

/** Creates that are under way: the browser shows the answer to the second click of a double click, so it gets the same. */
const paying = new Map<string, Promise<string>>();

const hash = createHash("sha256").update(script).digest("base64");
const safety = {
  "content-security-policy": `default-src 'none'; script-src 'sha256-${hash}'; style-src 'self'; img-src data:; connect-src 'self'; base-uri 'none'; frame-ancestors 'none'`,
  "cache-control": "no-store",
};
const style = readFileSync(new URL("style.css", import.meta.url), "utf8");

const server = createServer(async (request, response) => {
  if (request.url === "/style.css") {
    response.writeHead(200, { ...safety, "content-type": "text/css" }).end(style);
    return;
  }
  const answer = await answerBrowser(request).catch((error: unknown): Answer => {
    console.log(`${request.method} ${request.url} failed: ${describe(error)}`);
    return { status: 500, page: messagePage("Something went wrong", "Please try again.") };
  });
  if ("seeOther" in answer) response.writeHead(303, { ...safety, location: answer.seeOther }).end();
  else {
    const type = { "content-type": "text/html; charset=utf-8" };
    response.writeHead(answer.status, { ...safety, ...type }).end(answer.page);
  }
});

// ---- Settings: with PAYCAST_API a deployed stack, otherwise the local one, which describes itself in a file. ----

const localSchema = z.object({
  api: z.string(),
  shop: z.string(),
  region: z.string(),
  aws: z.object({ sqs: z.string() }),
  queues: z.object({
    subscribers: z.object({ fulfilment: z.object({ url: z.string() }) }),
    /** The queues that a consumer of the console's Lab reads. */
    readInLab: z.array(z.string()),
  }),
});

function refuse(message: string): never {
  console.error(message);
  process.exit(1);
}

function readSettings() {
  const { PAYCAST_API: api, PAYCAST_QUEUE_URL: queueUrl, PAYCAST_TOKEN: token } = process.env;
  if (api === undefined) return localSettings();
  if (queueUrl === undefined) refuse("PAYCAST_QUEUE_URL must name your subscriber's queue.");
  const address = `http://127.0.0.1:${process.env["SHOP_PORT"] ?? "3009"}`;
  const sqs = new SQSClient({});
  return { isLocal: false, api, queueUrl, token, address, sqs, waitSeconds: 20 };
}

const localFile = join(process.env["PAYCAST_DIRECTORY"] ?? ".paycast", "local.json");
const readLocal = () => localSchema.parse(JSON.parse(readFileSync(localFile, "utf8")));

function localSettings() {
  if (!existsSync(localFile))
    refuse("No local stack runs here. Start it in another terminal: npm start");
  const local = readLocal();
  const credentials = { accessKeyId: "local", secretAccessKey: "local" };
  // The host in a local queue's address does not exist.
  const place = { endpoint: local.aws.sqs, region: local.region, useQueueUrlAsEndpoint: false };
  return {
    isLocal: true,
    api: local.api,
    queueUrl: local.queues.subscribers.fulfilment.url,
    token: undefined,
    address: local.shop,
    sqs: new SQSClient({ ...place, credentials }),
    // Short, so that the shop soon sees who else reads the queue.
    waitSeconds: 1,
  };
}

// The SDK announces which Node its later versions want. That is nothing for the visitor of a demo.
process.env["AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED"] ??= "true";
const settings = readSettings();
const stopping = new AbortController();
server.once("error", ({ message }) =>
  refuse(`The shop cannot open ${settings.address}: ${message}`),
);
server.listen(Number(new URL(settings.address).port), "127.0.0.1", () => {
  console.log(`The shop is open: ${settings.address}`);
});
const packing = packOrders(stopping.signal);
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => {
    stopping.abort();
    server.closeAllConnections();
    server.close(() => void packing.then(() => process.exit(0)));
  });
}
