import { createHash } from "node:crypto";
import * as z from "zod";
import { PaycastError } from "../../../shared/errors/paycast-error.ts";
import { gatewayUrl } from "../../../shared/gateway/gateway-settings.ts";
import { findRepeatedName } from "../../../shared/json/find-repeated-name.ts";
import { parseJson } from "../../../shared/json/parse-json.ts";
import { inexactNumbers } from "../../../shared/money/exact-numbers.ts";
import { describeChange } from "../described/describe.ts";
import type { OperationGroup, Report } from "../described/description.ts";
import { inputFile, text } from "../described/fields.ts";
import { available } from "../ports/available.ts";
import { findMerchant, type Stack } from "../ports/stack.ts";
import type { Target } from "../ports/target.ts";
import { type CallPlan, type CallResult, callService, isDeep } from "./call-service.ts";

const input = z.object({
  method: z
    .string()
    .regex(/^[\w.-]{1,64}$/, "must be a name like service.trade.query")
    .meta({ description: "the operation's name (§4.1)", placeholder: "METHOD" }),
  path: z
    .string()
    .regex(/^\/[^\s?#]*$/, "must begin with a slash, without ? or #")
    .meta({
      description: "the path after the base URL and prefix in the config",
      placeholder: "PATH",
    }),
  body: inputFile("the JSON object of the operation, before encryption; - reads standard input"),
  merchant: text("the merchant; optional if the stack has only one", "ID"),
});

const send = describeChange({
  summary:
    "METHOD is the name of the operation, PATH its path after the base URL and prefix in the config. The request can move money. It is sent once; only service.trade.query is retried. Ctrl-C waits for the response; a second Ctrl-C does not.",
  title: "Call the payment service",
  input,
  words: ["method", "path"],
  plan: async (target, asked) => {
    const plan = planCall(target, asked);
    return {
      report: planReport(plan),
      yes: `Send ${plan.method}`,
      act: async () => resultReport(await callService(target, plan)),
    };
  },
});

export const call: OperationGroup = {
  name: "call",
  about: [
    "Sends one request to the payment service, signed and encrypted with the merchant's request keys, and shows the response. Use it for operations that Paycast has no command for, such as cancel and refund.",
  ],
  operations: [send],
  examples: [
    "call service.trade.query /payment/api/v1/payment-order/query --body query.json --yes",
    "call service.trade.refund /payment/api/v1/refund --merchant M --body refund.json",
  ],
};

/** What would be sent. Throws `wrong-usage`, `unreadable-input`, `not-found` or `target-incomplete`. */
export function planCall(
  target: Pick<Target, "stack">,
  { method, path, body: bodyText, merchant }: z.output<typeof input>,
): CallPlan {
  const gateway = available(target.stack.gateway);
  const { merchantId, requestKeys } = findMerchant(
    target.stack,
    merchant ?? onlyMerchant(target.stack),
  );
  if (requestKeys === undefined) throw incomplete(`Merchant ${merchantId} has no request keys.`);
  const body = readBody(bodyText);
  const bodySha256 = createHash("sha256").update(JSON.stringify(body)).digest("hex");
  const url = gatewayUrl(gateway, path).href;
  return { method, path, url, merchantId, requestKeys, body, bodySha256 };
}

function onlyMerchant({ merchants }: Stack): string {
  const [first, second] = merchants.map(({ merchantId }) => merchantId);
  if (first !== undefined && second === undefined) return first;
  const known = merchants.map(({ merchantId }) => merchantId).join(", ");
  throw new PaycastError("wrong-usage", `Name the merchant with --merchant: ${known}.`);
}

/** What is sent must be what the operator wrote: nothing of the text may be rounded or dropped. */
function readBody(text: string): object {
  const body = parseJson(text);
  if (typeof body !== "object" || body === null || Array.isArray(body)) {
    throw unreadable("The body must be a JSON object.");
  }
  if (isDeep(body)) throw unreadable("The body is nested more than 100 levels deep.");
  const [inexact] = inexactNumbers(text);
  if (inexact !== undefined) {
    throw unreadable(
      `The number at ${inexact.pointer} would be changed. Write it as a string, or with fewer digits.`,
    );
  }
  const repeated = findRepeatedName(text);
  if (repeated !== undefined) {
    throw unreadable(
      `The body has the name ${JSON.stringify(repeated)} twice in one object. Remove one of them.`,
    );
  }
  return body;
}

function unreadable(message: string): PaycastError {
  return new PaycastError("unreadable-input", message);
}

function incomplete(message: string): PaycastError {
  return new PaycastError("target-incomplete", message);
}

function planReport(plan: CallPlan): Report {
  const { method, url, merchantId, body } = plan;
  return {
    lines: [],
    facts: [
      ["method", method],
      ["url", url],
      ["merchant", merchantId],
      ["body", "as follows; it is signed and encrypted before it is sent"],
    ],
    text: JSON.stringify(body, null, 2),
    data: plan,
    isGood: true,
  };
}

function resultReport(result: CallResult): Report {
  const { outcome, message, code, msg, data, answerText } = result;
  const isDone = outcome === "done";
  const shown = answerText ?? (data === undefined ? undefined : JSON.stringify(data, null, 2));
  return {
    lines: [],
    facts: [
      ["outcome", { text: outcome, tone: isDone ? "good" : "bad" }],
      ["", outcome === "unknown" ? `${message} ${askFirst}` : message],
      ["code", code],
      ["msg", msg],
      ["data", answerText === undefined ? shown && "as follows" : "as it came"],
    ],
    ...(shown !== undefined && { text: shown }),
    data: { ...result, done: isDone },
    isGood: isDone,
    isUnavailable: !isDone,
  };
}

const askFirst = "Check with the payment service before you send it again.";
