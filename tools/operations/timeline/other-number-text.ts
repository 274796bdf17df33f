/** The same order under another number: the payment service cut the number to its first 32 characters. */
export interface OtherNumber {
  readonly orderNo: string;
  /** True if that is the cut number, under which the callbacks come. */
  readonly isShort: boolean;
}

/** What follows the name of the other order. */
export function otherNumberText({ isShort }: OtherNumber): string {
  return isShort
    ? "is the number to which the service cuts this one. Its callbacks come under that number."
    : "is the whole number. The service cuts it, so callbacks of that order come here.";
}
