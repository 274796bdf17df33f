import * as z from "zod/mini";
import { matchesPattern } from "../facts/event-types.ts";
import { smokeName } from "../smoke-merchant.ts";

/** A team's queue and the events it wants, as the stack passes them to the functions. */
export const subscriberSchema = z.object({
  name: z.string(),
  /** Patterns. infra/config/subscriber-config.ts checks them, `matchesPattern` compares them. */
  types: z.array(z.string()),
  /** Without it: all merchants, except the one of smoke tests. */
  merchants: z.optional(z.array(z.string())),
  queueUrl: z.string(),
  /** FIFO: an aggregate's events arrive in order, and a repeat within five minutes is dropped. */
  ordered: z.boolean(),
});

export type Subscriber = z.output<typeof subscriberSchema>;

export function subscribersTo(
  { type, merchantId }: { readonly type: string; readonly merchantId: string },
  subscribers: readonly Subscriber[],
): readonly Subscriber[] {
  return subscribers.filter(
    (subscriber) =>
      wantsMerchant(subscriber, merchantId) &&
      subscriber.types.some((pattern) => matchesPattern(type, pattern)),
  );
}

function wantsMerchant({ merchants }: Subscriber, merchantId: string): boolean {
  return merchants === undefined ? merchantId !== smokeName : merchants.includes(merchantId);
}
