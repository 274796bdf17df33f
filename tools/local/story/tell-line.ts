import * as z from "zod";
import { unexpected } from "../../../shared/errors/failures.ts";
import { parseJson } from "../../../shared/json/parse-json.ts";
import { counted } from "../../../shared/text/number-text.ts";
import { type Colours, harmless } from "../../../shared/text/terminal-text.ts";

/** Order numbers and similar texts are external, so control characters are replaced in every text. */
const text = z.string().transform(harmless);
const maybe = text.optional();
const names = z.array(text).default([]);

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
  News: z.number().default(0),
});

export type FunctionLine = z.output<typeof lineSchema>;

/** Undefined if it is not a log line. */
export function readFunctionLine(line: string): FunctionLine | undefined {
  return lineSchema.safeParse(parseJson(line)).data;
}

const countSchema = z.object({ _aws: z.object({}), outcome: z.optional(z.unknown()) });

/** Whether a line only counts something at another time (shared/telemetry/log-line.ts). */
export function isOnlyCount(line: string): boolean {
  const { data } = countSchema.safeParse(parseJson(line));
  return data !== undefined && data.outcome === undefined;
}

/** Outcomes that change nothing, or that another line covers. */
const quiet =
  /^(accepted|answered|captured|no-fact|visibility-kept|stale|stray|counted|lease-held)$/;

/** A function's log line in words. Undefined if it is not interesting. */
export function tellLine(line: FunctionLine, colours: Colours): string | undefined {
  const { service, outcome, News } = line;
  if (service === "create-order" && outcome === "answered") return tellOrder(line, colours);
  if (quiet.test(outcome)) return undefined;
  if (outcome === "reconciled") {
    return News > 0 ? `reconciliation: ${counted(News, "result")} with news` : undefined;
  }
  return tellFact(line, colours) ?? tellProblem(line, colours);
}

function tellOrder({ orderNo = "", paymentId, httpStatus }: FunctionLine, { bold }: Colours) {
  if (httpStatus !== 201) return `${bold(orderNo)} already exists, returned as it is`;
  return `${bold(orderNo)} created, payment ${paymentId}`;
}

/** What process-callback did with a fact. */
function tellFact(line: FunctionLine, colours: Colours): string | undefined {
  const ends: Readonly<Record<string, string>> = {
    published: `→ ${deliveries(line, colours)}`,
    resumed: `→ ${deliveries(line, colours)}`,
    "known-fact": "already known, nothing published",
    duplicate: "arrived again, nothing published",
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

function deliveries(line: FunctionLine, { green, red }: Colours): string {
  const { deliveredTo, subscribers, errorName, ending } = line;
  if (deliveredTo.length + subscribers.length === 0) return "no subscriber";
  const done = deliveredTo.map((name) => `${name} ${green("✓")}`);
  const refused = subscribers.map((name) => `${name} ${red("✗")}`);
  const next = ending === "given-back" ? "(will retry)" : undefined;
  return words(...done, ...refused, errorName, next);
}

/** Everything else in one format: what is wrong, why, and which order. */
function tellProblem(line: FunctionLine, { red, dim }: Colours): string {
  const { reason, errorName, serviceCode, merchantId, detail } = line;
  const cause = reason === unexpected ? errorName : reason;
  const why = detail === undefined ? undefined : dim(`(${detail})`);
  return words(red(problemOf(line)), cause, serviceCode, subjectOf(line) ?? merchantId, why);
}

function problemOf({ service, outcome, httpStatus }: FunctionLine): string {
  if (service === "receive-callback" && httpStatus >= 400 && httpStatus < 500) return "rejected";
  if (service === "create-order" && outcome === "problem") return "not created:";
  return `${service} ${outcome.replaceAll("-", " ")}`;
}

/** The order if the line names it, otherwise the payment or the callback. */
function subjectOf({ orderNo, paymentId, callbackId }: FunctionLine): string | undefined {
  if (orderNo !== undefined) return orderNo;
  if (paymentId !== undefined) return `payment ${paymentId}`;
  return callbackId === undefined ? undefined : `callback ${callbackId}`;
}

function words(...parts: readonly (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined && part !== "").join(" ");
}
