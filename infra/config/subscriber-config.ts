import * as z from "zod";
import { eventTypes } from "../../shared/facts/event-types.ts";
import { smokeName } from "../../shared/smoke-merchant.ts";
import { operatorsSchema } from "./arn-config.ts";

/** An event name of the interface (§6), or a pattern that matches several. */
const subscribableTypes = [...eventTypes, "payment.order.*", "payment.refund.*", "*"] as const;

/** SQS keeps a message for 14 days: an alarm after ten leaves time to act. */
const longestWaitMinutes = 10 * 24 * 60;

/**
 * A consumer in another stack may rely on this value without knowing the config, so it is the smallest one.
 */
export const shortestConsumerTimeoutSeconds = 30;
export const longestFunctionTimeoutSeconds = 900;

const subscriberSchema = z.strictObject({
  name: z
    .string()
    .max(32)
    .regex(/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/, 'must be lower case words like "order-history"')
    .refine(
      (name) => name !== "inbox",
      "must not be inbox: commands mean the queue of callbacks by it",
    )
    .refine(
      (name) => !sameResources(name, smokeName),
      `must not be ${smokeName}: this is the subscriber of smoke tests`,
    ),
  types: z
    .array(z.enum(subscribableTypes))
    .min(1)
    .refine((types) => new Set(types).size === types.length, "must not name a type twice"),
  /** Without it: all configured merchants. */
  merchants: z
    .array(z.string())
    .min(1)
    .refine((ids) => new Set(ids).size === ids.length, "must not name a merchant twice")
    .optional(),
  ordered: z.boolean().default(true),
  readers: z
    .array(z.string().regex(/^\d{12}$/, "must be an account id of 12 digits"))
    .refine((readers) => new Set(readers).size === readers.length, "must not name an account twice")
    .default([]),
  operators: operatorsSchema,
  consumerTimeoutSeconds: z
    .int()
    .min(shortestConsumerTimeoutSeconds)
    .max(longestFunctionTimeoutSeconds)
    .default(shortestConsumerTimeoutSeconds),
  /**
   * The alarm starts when an event has waited this long. A running consumer receives an event within seconds, and
   * three failed tries, at three minutes each, still end before this.
   */
  maxWaitMinutes: z.int().min(1).max(longestWaitMinutes).default(15),
});

export type Subscriber = z.output<typeof subscriberSchema>;

export const subscribersSchema = z.array(subscriberSchema).check(({ value, issues }) => {
  value.forEach(({ name }, index) => {
    const earlier = value.slice(0, index);
    if (!earlier.some((other) => sameResources(other.name, name))) return;
    const message = "must differ from the other names by more than dashes";
    issues.push({ code: "custom", input: value, path: [index, "name"], message });
  });
});

/** How long a queue hides a message: six times the timeout of the function that reads it, as Lambda recommends. */
export function visibilitySeconds(consumerTimeoutSeconds: number): number {
  return 6 * consumerTimeoutSeconds;
}

/** One issue for each merchant that a subscriber names and the config does not have: it would never get an event. */
export function unknownMerchants(
  subscribers: readonly Subscriber[],
  configured: readonly string[],
): z.core.$ZodRawIssue[] {
  return subscribers.flatMap(({ merchants = [] }, index) =>
    merchants.flatMap((merchantId, place) => {
      if (configured.includes(merchantId)) return [];
      const path = ["subscribers", index, "merchants", place];
      const message = "must be one of the config's merchants";
      return [{ code: "custom" as const, input: merchantId, path, message }];
    }),
  );
}

function sameResources(one: string, other: string): boolean {
  return one.replaceAll("-", "") === other.replaceAll("-", "");
}
