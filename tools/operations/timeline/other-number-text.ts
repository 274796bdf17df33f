/** The same order under another number: the payment service cut the number to its first 32 characters. */
export interface OtherNumber {
  readonly orderNo: string;
  /** True if that is the shortened number, which the callbacks name. */
  readonly isShort: boolean;
}

/** What follows the name of the other order. */
export function otherNumberText({ isShort }: OtherNumber): string {
  return isShort
    ? "is the number to which the service shortens this one. Its callbacks name that number."
    : "is the full number. The service shortens it, so callbacks of that order appear here.";
}
