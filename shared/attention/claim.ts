import * as z from "zod/mini";
import type { Fact } from "../facts/fact.ts";

/**
 * The status and the amount that a record states, or that an order has. They are stored with the attention when it
 * opens, so that a list can sort by money without reading the records.
 */
export const claimSchema = z.object({
  status: z.optional(z.string()),
  /** As a decimal. */
  amount: z.optional(z.string()),
  /** A refund names none (§2.12): its currency is that of its order, if it is known. */
  currency: z.optional(z.string()),
});
export type Claim = z.output<typeof claimSchema>;

export function claimOfFact({ status, amount }: Fact, orderCurrency?: string): Claim {
  if (amount === undefined) return { status };
  const currency = "currency" in amount ? amount.currency : orderCurrency;
  return { status, amount: amount.value, ...(currency !== undefined && { currency }) };
}
