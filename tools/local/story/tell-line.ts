import { smokeName } from "../../../shared/smoke-merchant.ts";
import type { Colours } from "../../../shared/terminal-text.ts";
import { because, causeOf, type FunctionLine, subjectOf, words } from "./function-line.ts";

type Tell = (line: FunctionLine, colours: Colours) => string | undefined;

const tellers: Readonly<Record<string, Tell>> = {
  "receive-callback": tellReceiving,
  "process-callback": tellProcessing,
  "create-order": tellCreation,
  "query-order": tellQuery,
  "reconcile-orders": tellReconciling,
};

/** One function's log line, told for a person. Undefined if nobody wants to know it. */
export function tellLine(line: FunctionLine, colours: Colours): string | undefined {
  if (line.outcome === "keys-problem") return tellKeysProblem(line, colours);
  return tellers[line.service]?.(line, colours);
}

/** Between smoke tests their merchant has no keys, and that is right. */
function tellKeysProblem(line: FunctionLine, { red, dim }: Colours): string | undefined {
  if (line.merchantId === smokeName) return undefined;
  const why = line.detail === undefined ? undefined : dim(`(${line.detail})`);
  return words(red("keys problem"), line.reason, line.merchantId, why);
}

/** The line of a check that runs in another terminal must not look like a problem. */
const emptyBodyDetail = "npx paycast check sends one";

/** What receive-callback did with one request. An accepted callback is told when it is processed. */
function tellReceiving(line: FunctionLine, { red, dim }: Colours): string | undefined {
  switch (line.outcome) {
    case "accepted":
      return line.keyStage === "previous"
        ? words(subjectOf(line), "verified with the previous keys")
        : undefined;
    case "not-authentic":
    case "not-an-envelope":
    case "source-not-allowed":
    case "too-large": {
      const detail = line.reason === "empty-body" ? emptyBodyDetail : line.detail;
      const why = detail === undefined ? undefined : dim(`(${detail})`);
      return words(red("refused"), line.reason, line.merchantId, why);
    }
    case "not-stored":
      return words(red("not stored"), causeOf(line), subjectOf(line) ?? line.merchantId);
    case "not-captured":
      return because(words("a refused callback was", red("not captured")), causeOf(line));
    default:
      return undefined;
  }
}

/** What process-callback did with one message. */
function tellProcessing(line: FunctionLine, colours: Colours): string | undefined {
  switch (line.outcome) {
    case "published":
    case "resumed":
      return `${tellFact(line, colours)} → ${tellDelivery(line, colours)}`;
    case "known-fact":
      return `${tellFact(line, colours)} was known, nothing published`;
    case "duplicate":
      return `${tellFact(line, colours)} came again, nothing published`;
    case "restored":
      return `${tellFact(line, colours)} is back in its order, nothing published`;
    case "quarantined":
      return tellQuarantined(line, colours);
    case "stamp-refused":
      return words(colours.red("refused"), "a message in the inbox:", line.reason);
    case "redrive-ignored":
      return words("a redrive does nothing:", line.reason);
    case "failed":
      return because(tellGivenBack(line, colours), causeOf(line));
    case "left-for-later":
      return because(tellGivenBack(line, colours), "no time was left");
    default:
      return undefined;
  }
}

function tellFact(line: FunctionLine, { bold, yellow }: Colours): string {
  const flags = line.flags.length === 0 ? "" : yellow(`[${line.flags.join(", ")}]`);
  return words(bold(subjectOf(line) ?? "a callback"), statusOf(line.eventName), flags);
}

/** "payment.order.success" is told as "success", "payment.refund.failed" as "refund failed". */
function statusOf(eventName: string | undefined): string | undefined {
  return eventName?.replace("payment.order.", "").replace("payment.refund.", "refund ");
}

function tellDelivery(line: FunctionLine, { green, red }: Colours): string {
  const { deliveredTo, subscribers, errorName, ending } = line;
  if (deliveredTo.length + subscribers.length === 0) return "no subscriber wants it";
  const done = deliveredTo.map((name) => `${name} ${green("✓")}`);
  const refused = subscribers.map((name) => `${name} ${red("✗")}`);
  return words(...done, ...refused, errorName, endings[ending ?? ""]);
}

const endings: Readonly<Record<string, string>> = {
  "given-back": "(given back)",
  undeliverable: "(quarantined)",
};

function tellGivenBack(line: FunctionLine, { yellow }: Colours): string {
  return words(subjectOf(line) ?? "a message", yellow("given back"));
}

function tellQuarantined(line: FunctionLine, { red, dim }: Colours): string {
  const why = line.detail === undefined ? undefined : dim(`(${line.detail})`);
  return words(red("quarantined"), line.reason, subjectOf(line), why);
}

/** What create-order did. */
function tellCreation(line: FunctionLine, colours: Colours): string | undefined {
  const order = colours.bold(line.orderNo ?? "an order");
  if (line.outcome === "problem") {
    return because(words(order, colours.red("not created")), causeOf(line), line.serviceCode);
  }
  if (line.outcome !== "answered") return undefined;
  if (line.httpStatus !== 201) return words(order, "was created before, answered as it stands");
  const flags = line.Mismatch > 0 ? colours.yellow("[mismatch]") : undefined;
  return words(order, "created,", `payment ${line.paymentId}`, flags);
}

/** What query-order did. Answers and questions about unknown orders are not told: they change nothing. */
function tellQuery(line: FunctionLine, colours: Colours): string | undefined {
  switch (line.outcome) {
    case "query-failed":
      return tellNoAnswer(line, colours);
    case "refund-status-answered":
      return words("a refund's status was answered about", subjectOf(line));
    case "problem":
      return (line.httpStatus ?? 0) < 500 ? undefined : tellNoAnswer(line, colours);
    default:
      return undefined;
  }
}

function tellNoAnswer(line: FunctionLine, { red }: Colours): string {
  return because(
    words(red("no answer"), "about", subjectOf(line)),
    causeOf(line),
    line.serviceCode,
  );
}

const countedWords = [
  { metric: "News", one: "answer with news", many: "answers with news" },
  { metric: "Unresolved", one: "order unresolved", many: "orders unresolved" },
  { metric: "QueryFailed", one: "question failed", many: "questions failed" },
  { metric: "ServiceRefused", one: "question refused", many: "questions refused" },
  { metric: "UnreadableAnswer", one: "answer unreadable", many: "answers unreadable" },
  { metric: "UnreadableOrder", one: "order unreadable", many: "orders unreadable" },
  {
    metric: "MerchantNotConfigured",
    one: "order of a merchant that is not configured",
    many: "orders of merchants that are not configured",
  },
] as const;

/** What a run of reconcile-orders found. Most runs find nothing, and nothing is told of them. */
function tellReconciling(line: FunctionLine, { red }: Colours): string | undefined {
  // The line of the run counts the same news for all merchants together.
  if (line.outcome === "merchant-news") return undefined;
  if (line.outcome === "failed") return because(`reconciliation ${red("failed")}`, causeOf(line));
  const found = countedWords.flatMap(({ metric, one, many }) => {
    const count = line[metric];
    return count === 0 ? [] : [`${count} ${count === 1 ? one : many}`];
  });
  if (found.length === 0) return undefined;
  return because("reconciliation", because(found.join(", "), causeOf(line)));
}
