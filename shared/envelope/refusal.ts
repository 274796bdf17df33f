import { PaycastError } from "../errors/paycast-error.ts";

/** What the sender learns. All refusals of one class get the same response. */
export type RefusalClass = "not-an-envelope" | "too-large" | "not-authentic" | "source-not-allowed";

/** The precise reason, for the log and the metrics only. */
export type RefusalReason =
  | "source-not-allowed"
  | "too-large"
  | "empty-body"
  | "not-base64"
  | "not-utf-8"
  | "not-json"
  | "not-an-envelope"
  | "unknown-merchant"
  | "cannot-decrypt"
  | "wrong-signature"
  | "merchant-differs"
  | "too-old"
  | "too-new";

/** Reasons that are found only after the signature matched. */
export const signedReasons = [
  "too-old",
  "too-new",
  "merchant-differs",
] as const satisfies RefusalReason[];
export type SignedReason = (typeof signedReasons)[number];

export function isSignedReason(reason: string | undefined): boolean {
  return signedReasons.some((signed) => signed === reason);
}

const messages: Record<RefusalClass, string> = {
  "not-an-envelope": "The body is not a callback envelope.",
  "too-large": "The body is larger than a callback may be.",
  "not-authentic": "The callback is not authentic.",
  "source-not-allowed": "The callback was sent from an address that the config does not allow.",
};

/** Thrown when a callback is rejected. The message depends only on the class; the reason stays private. */
export class Refusal extends PaycastError {
  override readonly name = "Refusal";
  readonly refusalClass: RefusalClass;
  readonly reason: RefusalReason;
  /** Which fields of the envelope are wrong and what is allowed. Never contains a value. */
  readonly detail: string | undefined;

  constructor(refusalClass: RefusalClass, reason: RefusalReason, detail?: string) {
    super(refusalClass, messages[refusalClass]);
    this.refusalClass = refusalClass;
    this.reason = reason;
    this.detail = detail;
  }
}
