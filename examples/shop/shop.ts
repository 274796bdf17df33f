import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import { setTimeout as wait } from "node:timers/promises";
import { DeleteMessageCommand, type Message, ReceiveMessageCommand } from "@aws-sdk/client-sqs";
import { SignatureV4 } from "@smithy/signature-v4";
import * as z from "zod";
import { messagePage, orderPage, pageHeaders, type State, shelfPage, type Tea } from "./pages.ts";
import { isReadInLab, readSettings, refuse } from "./settings.ts";

/*
 * A shop that sells tea through Paycast: its purchases, Paycast's storefront API, packing, and the server.
 * pages.ts has the HTML, settings.ts the addresses of the stack.
 */

const settings = readSettings();

// ---- What the shop sells, and what it remembers. A real shop has a database here. ----

const teas: readonly Tea[] = [
  { id: "sencha", name: "Sencha", origin: "Green tea · Shizuoka", price: "6.40" },
  { id: "assam", name: "Assam", origin: "Black tea · Brahmaputra valley", price: "5.20" },
  { id: "jasmine", name: "Jasmine pearls", origin: "Scented tea · Fujian", price: "9.80" },
  { id: "chai", name: "Masala chai", origin: "Spiced tea · our own blend", price: "5.75" },
];

/** One packet of tea. Each attempt to pay for it has its own order number: TEA-1F, TEA-1F-2, TEA-1F-3. */
interface Purchase {
  readonly tea: Tea;
  isPacked: boolean;
  /** The refunded attempts to pay. */
  readonly refundedOrders: Set<string>;
}
const purchases = new Map<string, Purchase>();
const newPurchase = (tea: Tea): Purchase => ({ tea, isPacked: false, refundedOrders: new Set() });

const newOrderNo = () => `TEA-${randomBytes(8).toString("hex").toUpperCase()}`;
const readOrderNo = (value: string) => /^TEA-[0-9A-F]{16}(-\d{1,3})?$/.exec(value)?.[0];
const purchaseId = (orderNo: string) => orderNo.split("-").slice(0, 2).join("-");

/** A failed or expired order is final, so the next attempt needs the next number. Two clicks get the same number. */
function nextOrderNo(orderNo: string): string {
  const [, , attempt = "1"] = orderNo.split("-");
  return `${purchaseId(orderNo)}-${Number(attempt) + 1}`;
}

// ---- Paycast's storefront API. Only the server calls it: a browser must not be able to create orders. ----

/** The fields of Paycast's order that this shop uses. `docs/openapi.json` describes all of them. */
const orderSchema = z.object({
  status: z.enum(["pending", "confirming", "timeout", "failed", "success", "refused"]),
  /** True if the payment service may have a newer status. */
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
 * Creates the order and returns where the browser goes: to the checkout, or to the order's page. The call is idempotent
 * by order number, so a double click, a reload and a retry after a lost response all repeat it.
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
    // The order may or may not exist now. The customer retries with the same number, so there is at most one.
    console.log(`${orderNo} could not be created. ${describe(error)}`);
    return redirectUrl;
  }
}

/** "unknown" if Paycast does not have the order, "no-answer" if Paycast cannot be reached. */
type Queried = Order | "unknown" | "no-answer";

async function queryOrder(orderNo: string): Promise<Queried> {
  try {
    return (await callPaycast("GET", `/orders/${orderNo}`)) ?? "unknown";
  } catch (error) {
    console.log(`${orderNo} could not be queried. ${describe(error)}`);
    return "no-answer";
  }
}

/** Undefined if Paycast does not have the order. */
async function callPaycast(
  method: string,
  path: string,
  body?: string,
): Promise<Order | undefined> {
  const url = new URL(path, settings.api);
  const headers = await authorize(method, url, body);
  // Paycast waits some seconds for the payment service. API Gateway times out after 30 seconds.
  const signal = AbortSignal.timeout(31_000);
  const response = await fetch(url, { method, headers, signal, body: body ?? null });
  if (response.status === 404) return undefined;
  const content = await response.text();
  if (response.ok) return orderSchema.parse(JSON.parse(content));
  // A problem document (RFC 9457). It goes to the terminal; the customer reads a plain sentence.
  throw new Error(`${method} ${path} returned ${response.status}: ${content}`);
}

/** The local stack needs nothing, `"access": "jwt"` a token, and `"access": "iam"` an AWS signature. */
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

// ---- Packing. It follows the event, not the page: a customer who pays and closes the browser still gets the tea. ----

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

/** With one of these flags, a person checks the payment before the tea is packed. */
const stoppingFlags: ReadonlyMap<string, string> = new Map([
  ["mismatch", "the amount paid is not the amount of the order."],
  ["contradicted", "the payment service named two amounts."],
  ["duplicatePayment", "it was paid twice. Refund one payment."],
  ["unknownOrder", "it was not created through Paycast."],
  ["refunded", "the payment service has a refund for it."],
  ["refusedOrder", "the payment service had rejected the order."],
]);

const handled = new Set<string>();

async function packOrders(stopped: AbortSignal): Promise<void> {
  while (!stopped.aborted) {
    try {
      if (leavesQueueToLab()) await wait(1_000, undefined, { signal: stopped });
      else await handleMessages(stopped);
    } catch (error) {
      if (stopped.aborted) return;
      console.log(`The queue cannot be read: ${describe(error)}`);
      await wait(3_000, undefined, { signal: stopped }).catch(() => {});
    }
  }
}

async function handleMessages(stopped: AbortSignal): Promise<void> {
  const { sqs, queueUrl: QueueUrl, waitSeconds: WaitTimeSeconds } = settings;
  const receive = { QueueUrl, MaxNumberOfMessages: 10, WaitTimeSeconds };
  const found = await sqs.send(new ReceiveMessageCommand(receive), { abortSignal: stopped });
  for (const message of found.Messages ?? []) {
    // A message that fails stays in the queue, and the others are handled.
    await handleMessage(message).catch((error: unknown) => {
      console.log(`Message ${message.MessageId} failed: ${describe(error)}`);
    });
  }
}

async function handleMessage({ Body = "", ReceiptHandle }: Message): Promise<void> {
  const { sqs, queueUrl: QueueUrl } = settings;
  const event = eventSchema.parse(JSON.parse(Body));
  // An event may arrive twice, with the same id.
  if (!handled.has(event.id)) console.log(handleEvent(event));
  handled.add(event.id);
  // The local stack also has other orders. Their events stay in the queue.
  if (!purchases.has(purchaseId(event.data.orderNo))) return;
  // Delete the event after handling it: if the shop crashes before, the event arrives again.
  await sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
}

/** Returns what to tell the people at the packing table. */
function handleEvent({ type, data }: z.output<typeof eventSchema>): string {
  const { orderNo, amount, flags } = data;
  const purchase = purchases.get(purchaseId(orderNo));
  if (purchase === undefined)
    return `${orderNo} is not an order of this shop. Its event stays in the queue.`;
  if (type === "payment.refund.success") {
    purchase.refundedOrders.add(orderNo);
    return `${orderNo} was refunded: ${amount?.value} USD`;
  }
  if (type !== "payment.order.success") return `${orderNo} ${type}: nothing to pack.`;
  if (purchase.isPacked)
    return `do not pack ${orderNo} again: ${stoppingFlags.get("duplicatePayment")}`;
  const flag = flags.find((name) => stoppingFlags.has(name));
  if (flag !== undefined) return `do not pack ${orderNo}: ${stoppingFlags.get(flag)}`;
  // The event of a refund may arrive before that of its payment.
  if (purchase.refundedOrders.has(orderNo)) return `do not pack ${orderNo}: it was refunded.`;
  purchase.isPacked = true;
  return `pack ${purchase.tea.name} for ${orderNo}`;
}

let isPaused = false;

/** Two consumers of one queue would take events from each other, so the shop pauses while the console's Lab reads. */
function leavesQueueToLab(): boolean {
  const isRead = settings.isLocal && isReadInLab();
  if (isRead && !isPaused) {
    console.log("A consumer of the Lab reads fulfilment now. This shop packs nothing meanwhile.");
  }
  if (!isRead && isPaused) console.log("This shop reads fulfilment again.");
  isPaused = isRead;
  return isRead;
}

// ---- The order's page. The status comes from Paycast, never from the URL with which the customer returns. ----

async function showOrder(orderNo: string, purchase: Purchase): Promise<string> {
  const queried = await queryOrder(orderNo);
  const order = typeof queried === "string" ? undefined : queried;
  const state = stateOf(queried, purchase);
  const isOver = state === "failed" || state === "timeout";
  // A status that may change allows no new attempt. Otherwise the customer could pay twice.
  const nextAttempt = order?.stale ? undefined : nextOrderNo(orderNo);
  const isPaidTwice = order?.flags.includes("duplicatePayment");
  const isChecked = order?.flags.some(
    (flag) => flag !== "duplicatePayment" && stoppingFlags.has(flag),
  );
  return orderPage({
    orderNo,
    tea: purchase.tea,
    state,
    checkoutUrl: order?.checkoutUrl,
    payableOrderNo: isOver ? nextAttempt : orderNo,
    notices: [
      order?.stale && "We could not ask right now. This is the last known status. We keep asking.",
      isChecked && "We are checking your payment before we pack your tea, and will contact you.",
      isPaidTwice && "You have paid twice. We will refund one payment.",
    ],
    refunds: order?.refunds ?? [],
  });
}

function stateOf(queried: Queried, { isPacked }: Purchase): State {
  if (isPacked) return "packed";
  if (queried === "no-answer") return "not-asked";
  if (queried === "unknown" || queried.status === "refused") return "not-started";
  return queried.status === "pending" && !queried.checkoutUrl ? "not-started" : queried.status;
}

// ---- The server, for browsers on this machine. ----

type Reply = { readonly status: number; readonly page: string } | { readonly seeOther: string };

async function replyTo(request: IncomingMessage): Promise<Reply> {
  const { method = "GET", headers } = request;
  const { origin, host } = new URL(settings.address);
  const { pathname } = new URL(request.url ?? "/", origin);
  // Pages of other sites, open in a browser on this machine, must not read or change anything here.
  if (headers.host !== host || (method === "POST" && headers.origin !== origin)) {
    const page = messagePage("This is not possible", `Open the shop at ${origin}.`);
    return { status: 403, page };
  }
  if (method === "POST" && pathname === "/orders") return await startOrder(await text(request));
  if (pathname === "/") return { status: 200, page: shelfPage(teas, newOrderNo) };
  const orderNo = readOrderNo(pathname.replace("/orders/", "")) ?? "";
  const purchase = purchases.get(purchaseId(orderNo));
  if (purchase !== undefined) return { status: 200, page: await showOrder(orderNo, purchase) };
  const why = "The shop keeps its orders in memory, and forgets them when it stops.";
  return { status: 404, page: messagePage("We do not know this order", why) };
}

/** Creations in progress. A browser shows the response to the second of two clicks, so both clicks get the same. */
const paying = new Map<string, Promise<string>>();

async function startOrder(body: string): Promise<Reply> {
  const form = new URLSearchParams(body);
  const orderNo = readOrderNo(form.get("orderNo") ?? "");
  const tea = teas.find(({ id }) => id === form.get("tea"));
  if (orderNo === undefined || tea === undefined) return { seeOther: "/" };
  const purchase = purchases.get(purchaseId(orderNo)) ?? newPurchase(tea);
  purchases.set(purchaseId(orderNo), purchase);
  if (purchase.isPacked) return { seeOther: `/orders/${orderNo}` };
  const payment = paying.get(orderNo) ?? pay(orderNo, purchase.tea);
  paying.set(orderNo, payment);
  return { seeOther: await payment.finally(() => paying.delete(orderNo)) };
}

const style = readFileSync(new URL("style.css", import.meta.url), "utf8");

const server = createServer(async (request, response) => {
  if (request.url === "/style.css") {
    response.writeHead(200, { ...pageHeaders, "content-type": "text/css" }).end(style);
    return;
  }
  const reply = await replyTo(request).catch((error: unknown): Reply => {
    console.log(`${request.method} ${request.url} failed: ${describe(error)}`);
    return { status: 500, page: messagePage("Something went wrong", "Please try again.") };
  });
  if ("seeOther" in reply) {
    response.writeHead(303, { ...pageHeaders, location: reply.seeOther }).end();
  } else {
    const type = { "content-type": "text/html; charset=utf-8" };
    response.writeHead(reply.status, { ...pageHeaders, ...type }).end(reply.page);
  }
});

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
