import * as z from "zod";
import { parseJson } from "../../../shared/json/parse-json.ts";
import { smokeName } from "../../../shared/smoke-merchant.ts";
import { counted } from "../../../shared/text/number-text.ts";
import { type Colours, harmless } from "../../../shared/text/terminal-text.ts";

/** Order numbers and similar texts are external, so control characters are replaced in every text. */
const text = z.string().transform(harmless);
const maybe = text.optional();
const names = z.array(text).default([]);
const metric = z.number().default(0);

/** The fields of a function's log line that the story uses (shared/telemetry/log-line.ts). */
const lineSchema = z.object({
  service: text,
  outcome: text,
  ending: maybe,
  reason: maybe,
  detail: maybe,
  merchantId: maybe,
  orderNo: maybe,
  paymentId: maybe,
  callbackId: maybe,
  eventName: maybe,
  flags: names,
  deliveredTo: names,
  subscribers: names,
  httpStatus: z.number().default(0),
  serviceCode: maybe,
  errorName: maybe,
  errorCode: maybe,
  News: metric,
  Unresolved: metric,
  QueryFailed: metric,
  ServiceRefused: metric,
  UnreadableAnswer: metric,
});

export type FunctionLine = z.output<typeof lineSchema>;

/** Undefined if it is not a log line. */
export function readFunctionLine(line: string): FunctionLine | undefined {
  return lineSchema.safeParse(parseJson(line)).data;
}

/** Outcomes that change nothing, or that another line covers. */
const quiet =
  /^(accepted|captured|no-fact|visibility-kept|stale|stray|counted|lease-held|merchant-news)$/;

/** A function's log line in words. Undefined if it is not interesting. */
export function tellLine(line: FunctionLine, colours: Colours): string | undefined {
  const { service, outcome } = line;
  if (quiet.test(outcome)) return undefined;
  if (service === "create-order" && outcome !== "keys-problem") return tellCreation(line, colours);
  if (outcome === "answered") return undefined;
  if (outcome === "reconciled" || outcome === "ended-by-failures") return tellRun(line);
  return tellFact(line, colours) ?? tellTrouble(line, colours);
}

function tellCreation(line: FunctionLine, { bold, red }: Colours): string {
  const order = bold(line.orderNo ?? "an order");
  if (line.outcome === "problem") {
    return `${words(order, red("not created"))}: ${words(causeOf(line), line.serviceCode)}`;
  }
  if (line.httpStatus !== 201) return `${order} already exists, returned as it is`;
  return `${order} created, payment ${line.paymentId}`;
}

/** What process-callback did with a fact. */
function tellFact(line: FunctionLine, colours: Colours): string | undefined {
  const ends: Readonly<Record<string, string>> = {
    published: `→ ${deliveries(line, colours)}`,
    resumed: `→ ${deliveries(line, colours)}`,
    "known-fact": "already known, nothing published",
    duplicate: "arrived again, nothing published",
    restored: "restored in its order, nothing published",
  };
  const end = ends[line.outcome];
  if (end === undefined) return undefined;
  // "payment.order.success" becomes "success", "payment.refund.failed" becomes "refund failed".
  const status = line.eventName
    ?.replace("payment.order.", "")
    .replace("payment.refund.", "refund ");
  const flags = line.flags.length === 0 ? "" : colours.yellow(`[${line.flags.join(", ")}]`);
  return words(colours.bold(subjectOf(line) ?? "a callback"), status, flags, end);
}

const endings: Readonly<Record<string, string>> = {
  "given-back": "(will retry)",
  undeliverable: "(undeliverable)",
};

function deliveries(line: FunctionLine, { green, red }: Colours): string {
  const { deliveredTo, subscribers, errorName, ending = "" } = line;
  if (deliveredTo.length + subscribers.length === 0) return "no subscriber";
  const done = deliveredTo.map((name) => `${name} ${green("✓")}`);
  const refused = subscribers.map((name) => `${name} ${red("✗")}`);
  return words(...done, ...refused, errorName, endings[ending]);
}

/** What a run of reconcile-orders found. Most runs find nothing. */
function tellRun(line: FunctionLine): string | undefined {
  const found = [
    [line.News, "result", "with news"],
    [line.Unresolved, "order", "unresolved"],
    [line.QueryFailed, "request", "failed"],
    [line.ServiceRefused, "request", "rejected"],
    [line.UnreadableAnswer, "result", "unreadable"],
  ] as const;
  const present = found.filter(([count]) => count > 0);
  if (present.length === 0) return undefined;
  const texts = present.map(([count, noun, end]) => `${counted(count, noun)} ${end}`);
  return ["reconciliation", texts.join(", "), causeOf(line)].filter(Boolean).join(": ");
}

/** Clearer titles than the outcome's name. */
const titles: Readonly<Record<string, string>> = {
  "not-authentic": "rejected",
  "not-an-envelope": "rejected",
  "source-not-allowed": "rejected",
  "too-large": "rejected",
  "not-stored": "not stored",
  quarantined: "quarantined",
  "keys-problem": "keys problem",
};

/** Everything else in one format: what is wrong, why, and which order. */
function tellTrouble(line: FunctionLine, { red, dim }: Colours): string | undefined {
  const { service, outcome, merchantId, httpStatus, serviceCode } = line;
  // Between smoke tests, the smoke merchant has no keys. That is normal.
  if (outcome === "keys-problem" && merchantId === smokeName) return undefined;
  // A query for an unknown order is the caller's error.
  if (service === "query-order" && outcome === "problem" && httpStatus < 500) return undefined;
  const title = titles[outcome] ?? `${service} ${outcome.replaceAll("-", " ")}`;
  const detail = line.reason === "empty-body" ? "sent by npx paycast check" : line.detail;
  const why = detail === undefined ? undefined : dim(`(${detail})`);
  return words(red(title), causeOf(line), serviceCode, subjectOf(line) ?? merchantId, why);
}

/** The order if the line names it, otherwise the payment or the callback. */
function subjectOf({ orderNo, paymentId, callbackId }: FunctionLine): string | undefined {
  if (orderNo !== undefined) return orderNo;
  if (paymentId !== undefined) return `payment ${paymentId}`;
  return callbackId === undefined ? undefined : `callback ${callbackId}`;
}

/** The code is more specific than the name of an error class. */
function causeOf({ reason, errorCode, errorName }: FunctionLine): string | undefined {
  return reason?.replace("urn:paycast:problem:", "") ?? errorCode ?? errorName;
}

function words(...parts: readonly (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined && part !== "").join(" ");
}
