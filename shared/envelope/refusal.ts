import type { RefusalReason } from "../errors/error-codes.ts";
import { PaycastError } from "../errors/paycast-error.ts";

/** What the sender learns. All refusals of one class get the same response. */
export const refusalClasses = [
  "not-an-envelope",
  "not-authentic",
  "source-not-allowed",
  "too-large",
] as const;
export type RefusalClass = (typeof refusalClasses)[number];

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

/** Thrown when a callback is rejected. The message reveals nothing; the reason stays private. */
export class Refusal extends PaycastError {
  override readonly name = "Refusal";
  readonly refusalClass: RefusalClass;
  readonly reason: RefusalReason;
  /** Which fields of the envelope are wrong and what is allowed. Never contains a value. */
  readonly detail: string | undefined;

  constructor(refusalClass: RefusalClass, reason: RefusalReason, detail?: string) {
    super(refusalClass, "The callback is rejected.");
    this.refusalClass = refusalClass;
    this.reason = reason;
    this.detail = detail;
  }
}
