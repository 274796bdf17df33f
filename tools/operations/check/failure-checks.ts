import { refusedPercent } from "../../../shared/receiving/refusal-alarm.ts";
import { counted, wholeMinutes } from "../../../shared/text/number-text.ts";
import {
  type CauseName,
  causeText,
  causeWords,
  type FailureKind,
  type Failures,
  noneText,
} from "../overview/failure-words.ts";
import type { FlowCounts } from "../overview/flow-counts.ts";
import { readHour } from "../overview/read-flow.ts";
import { goesOn } from "../overview/recent.ts";
import { isAvailable } from "../ports/available.ts";
import type { Target } from "../ports/target.ts";
import { stackOption } from "../stack-option.ts";
import { type Check, faultsOr, ok, problem, type Verdict } from "./finding.ts";

/** Whether callbacks can be stored: those of the last hour that returned 503, and why. */
export const intakeCheck: Check = {
  name: "callbacks stored",
  run: async (target) => intakeVerdicts(await readFound(target)),
};

export function intakeVerdicts(found: Found): readonly Verdict[] {
  const { accepted, notStored } = found.counts;
  const stored = `in the last hour ${counted(accepted.total, "callback")} accepted, ${notStored.total || "none"} failed with 503`;
  return faultsOr(verdictsOf(found, ["callbacks"]), stored);
}

/** Whether the shop can sell: the payment service's responses of the last hour. A stack that only receives has none. */
export function storefrontCheck({ stack }: Pick<Target, "stack">): readonly Check[] {
  return isAvailable(stack.gateway) ? [storefront] : [];
}

const storefront: Check = {
  name: "storefront",
  run: async (target) => storefrontVerdicts(await readFound(target)),
};

export function storefrontVerdicts(found: Found): readonly Verdict[] {
  const { ordersCreated, ordersRefused, ordersFailed, ordersUnknown } = found.counts;
  return faultsOr(
    verdictsOf(found, ["orders", "queries"]),
    `in the last hour ${ordersCreated.total} orders created, ${ordersRefused.total} rejected, ${ordersFailed.total} failed, ${ordersUnknown.total} of them with unknown outcome`,
  );
}

interface Found {
  readonly counts: FlowCounts;
  readonly failures: readonly Failures[];
  readonly lastRefusal: string | undefined;
  readonly now: number;
  readonly stack: string;
}

async function readFound(
  target: Pick<Target, "stack" | "clock" | "orders" | "records" | "keys" | "log" | "metrics">,
): Promise<Found> {
  const hour = await readHour(target, target.metrics.count);
  return { ...hour, now: target.clock.now(), stack: stackOption(target.stack) };
}

function verdictsOf(found: Found, kinds: readonly FailureKind[]): readonly Verdict[] {
  return found.failures
    .filter(({ kind }) => kinds.includes(kind))
    .filter((failures) => isMany(failures, found.counts))
    .map((failures) => verdictOf(failures, found));
}

/** As the alarm: one or two queries fail now and then, and the next one repeats them. */
const fewestQueries = 3;

/** As for the alarms: few failures among many requests need no attention. */
function isMany(failures: Failures, counts: FlowCounts): boolean {
  const { kind, failed, noneSince } = failures;
  if (kind === "queries") return failed >= fewestQueries;
  return noneSince !== undefined || 100 * failed >= allOf(failures, counts) * refusedPercent;
}

function allOf({ kind, failed }: Failures, counts: FlowCounts): number {
  const { accepted, ordersCreated, queries } = counts;
  if (kind === "queries") return queries.total;
  return failed + (kind === "callbacks" ? accepted : ordersCreated).total;
}

function verdictOf(failures: Failures, found: Found): Verdict {
  const message = messageOf(failures, found);
  if (!goesOn(failures, found.now)) return ok(`Earlier: ${message}`);
  return problem(message, actionOf(failures, found));
}

const things: Readonly<Record<FailureKind, string>> = {
  callbacks: "callback",
  orders: "order",
  queries: "query call",
};

/**
 * "No order was created since 08:26. The payment service rejected 34 of 122 orders of the last hour, the last at 08:50:
 * ...".
 */
function messageOf(failures: Failures, { counts, lastRefusal }: Found): string {
  const { kind, failed, last, causes } = failures;
  const share = `${failed} of ${counted(allOf(failures, counts), things[kind])} of the last hour`;
  const at = `the last at ${wholeMinutes(last)}`;
  const [cause] = causes;
  if (cause?.name === "service-refuses") {
    const said = lastRefusal ?? cause.reason;
    return `${noneSentence(failures)}The payment service rejected ${share}, ${at}: ${said}.`;
  }
  const why = cause === undefined ? "" : `, because ${causeText(cause)}`;
  return `${noneSentence(failures)}${share} failed, ${at}${why}.`;
}

/** "No order was created since 08:26; the last success was at 08:20. " */
function noneSentence({ kind, noneSince }: Failures): string {
  if (noneSince === undefined) return "";
  const { at, lastSuccess } = noneSince;
  const none = noneText[kind];
  const sentence = `${none.charAt(0).toUpperCase()}${none.slice(1)} since ${wholeMinutes(at)}`;
  const before =
    lastSuccess === undefined
      ? "there was no success in the previous day"
      : `the last success was at ${wholeMinutes(lastSuccess)}`;
  return `${sentence}; ${before}. `;
}

const overCommands: Readonly<Record<FailureKind, string>> = {
  callbacks: "requests --route callbacks",
  orders: "requests --route create-order",
  queries: "requests --route query-order",
};

/** What to do, the command that shows more, and how to see that the problem is solved. */
function actionOf({ kind, causes }: Failures, { stack }: Found): string {
  const name: CauseName = causes[0]?.name ?? "function";
  const { todo, command } = causeWords[name];
  const over = `${overCommands[kind]}${stack}`;
  return `${todo} See: npx paycast ${command}${stack}. It is solved when npx paycast ${over} shows 200 or 201 again.`;
}
