import { createHash } from "node:crypto";
import { findRepeatedName } from "../../shared/find-repeated-name.ts";
import { gatewayUrl } from "../../shared/gateway/gateway-settings.ts";
import { inexactNumbers } from "../../shared/money/exact-numbers.ts";
import { parseJson } from "../../shared/parse-json.ts";
import { PaycastError } from "../../shared/paycast-error.ts";
import type { MerchantSecrets, Target } from "../target/target.ts";

export interface CallRequest {
  /** The operation's name (§4.1). */
  readonly method: string;
  /** After the service's address and its configured prefix. */
  readonly path: string;
  /** May be left out if there is only one. */
  readonly merchantId?: string | undefined;
  /** The JSON object of the operation, before it is encrypted. */
  readonly bodyText: string;
}

export interface CallPlan {
  readonly method: string;
  readonly path: string;
  readonly url: string;
  readonly merchantId: string;
  readonly requestKeys: string;
  readonly body: object;
  /** Identifies the body in the audit line, which must not hold it. */
  readonly bodySha256: string;
}

/** What would be sent. Throws `wrong-usage`, `unreadable-input`, `not-found` or `target-incomplete`. */
export function planCall(target: Target, request: CallRequest): CallPlan {
  const { method, path, bodyText } = request;
  const { gateway } = target;
  if (gateway === undefined) throw incomplete("The stack has no payment service in its config.");
  if (!/^[\w.-]{1,64}$/.test(method)) throw usage("METHOD is a name like service.trade.query.");
  if (!/^\/[^\s?#]*$/.test(path)) throw usage("PATH must begin with a slash, without ? or #.");
  const { merchantId, requestKeys } = chooseMerchant(target, request.merchantId);
  if (requestKeys === undefined) throw incomplete(`Merchant ${merchantId} has no request keys.`);
  const body = readBody(bodyText);
  const bodySha256 = createHash("sha256").update(JSON.stringify(body)).digest("hex");
  const url = gatewayUrl(gateway, path).href;
  return { method, path, url, merchantId, requestKeys, body, bodySha256 };
}

function chooseMerchant({ merchants }: Target, wanted: string | undefined): MerchantSecrets {
  const known = merchants.map(({ merchantId }) => merchantId).join(", ");
  const [first, second] = merchants;
  if (wanted === undefined) {
    if (first !== undefined && second === undefined) return first;
    throw usage(`Name the merchant with --merchant: ${known}.`);
  }
  const found = merchants.find(({ merchantId }) => merchantId === wanted);
  if (found !== undefined) return found;
  throw new PaycastError("not-found", `The stack has no such merchant. It has: ${known}.`);
}

/** What is sent must be what the operator wrote: nothing of the text may be rounded or dropped. */
function readBody(text: string): object {
  const body = parseJson(text);
  if (typeof body !== "object" || body === null || Array.isArray(body)) {
    throw unreadable("The body must be a JSON object.");
  }
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

function usage(message: string): PaycastError {
  return new PaycastError("wrong-usage", message);
}

function incomplete(message: string): PaycastError {
  return new PaycastError("target-incomplete", message);
}
