import * as z from "zod";
import { eventTypes } from "../../shared/facts/event-types.ts";
import { smokeName } from "../../shared/smoke-merchant.ts";
import { usualWaitMinutes } from "../../shared/timing.ts";
import { operatorsSchema } from "./arn-config.ts";

/** An event name of the interface (§6), or a pattern that matches several. */
const subscribableTypes = [...eventTypes, "payment.order.*", "payment.refund.*", "*"] as const;

/** SQS keeps a message for 14 days. An alarm after ten leaves time to act. */
const longestWaitMinutes = 10 * 24 * 60;

/** The minimum, because a consumer in another stack may rely on it without knowing the config. */
const shortestConsumerTimeoutSeconds = 30;
const longestFunctionTimeoutSeconds = 900;

const eventPattern = z.enum(subscribableTypes).meta({
  id: "PaycastEventPattern",
  description: "An event name, or a pattern that matches several.",
});

const subscriberSchema = z
  .strictObject({
    name: z
      .string()
      .max(32)
      .regex(/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/, 'must be lower case words like "order-history"')
      .refine(
        (name) => name !== "inbox",
        "must not be inbox: commands use this name for the queue of callbacks",
      )
      .refine(
        (name) => !sameResources(name, smokeName),
        `must not be ${smokeName}: this is the subscriber of smoke tests`,
      )
      .describe("Lower case words with dashes, at most 32 characters."),
    types: z
      .array(eventPattern)
      .min(1)
      .refine((types) => new Set(types).size === types.length, "must not name a type twice")
      .describe("Event names, or the patterns `payment.order.*`, `payment.refund.*` and `*`."),
    merchants: z
      .array(z.string())
      .min(1)
      .refine((ids) => new Set(ids).size === ids.length, "must not name a merchant twice")
      .optional()
      .meta({
        description:
          "Only the events of these merchants, which `merchants` of the config must list.",
        without: "all merchants",
      }),
    ordered: z
      .boolean()
      .default(true)
      .describe(
        "`true`: a FIFO queue, on which the events of an order arrive in order. `false`: a standard queue.",
      ),
    readers: z
      .array(z.string().regex(/^\d{12}$/, "must be an account id of 12 digits"))
      .refine(
        (readers) => new Set(readers).size === readers.length,
        "must not name an account twice",
      )
      .default([])
      .describe(
        "Ids of other AWS accounts that may read and delete messages of the queue and its dead-letter queue.",
      ),
    operators: operatorsSchema.meta({
      description:
        "ARNs of the team's roles that may send to this queue, so that the team can redrive its own dead-letter messages.",
      more: "subscribing.md#your-own-redrive",
    }),
    consumerTimeoutSeconds: z
      .int()
      .min(shortestConsumerTimeoutSeconds)
      .max(longestFunctionTimeoutSeconds)
      .default(shortestConsumerTimeoutSeconds)
      .describe(
        "The longest timeout of a function that reads the queue, from 30 to 900 seconds. The queue hides a received message for six times as long.",
      ),
    // A running consumer receives an event within seconds. Three failed tries of three minutes each end before the default.
    maxWaitMinutes: z
      .int()
      .min(1)
      .max(longestWaitMinutes)
      .default(usualWaitMinutes)
      .describe(
        "How long an event may wait in the queue before an alarm goes off. Raise it for a consumer that runs only now and then.",
      ),
  })
  .meta({ id: "PaycastSubscriber" });

export type Subscriber = z.output<typeof subscriberSchema>;

export const subscribersSchema = z.array(subscriberSchema).check(({ value, issues }) => {
  value.forEach(({ name }, index) => {
    const earlier = value.slice(0, index);
    if (!earlier.some((other) => sameResources(other.name, name))) return;
    const message = "must differ from the other names by more than dashes";
    issues.push({ code: "custom", input: value, path: [index, "name"], message });
  });
});

/** The visibility timeout: six times the timeout of the function that reads the queue, as Lambda recommends. */
export function visibilitySeconds(consumerTimeoutSeconds: number): number {
  return 6 * consumerTimeoutSeconds;
}

/** One issue for each merchant of a subscriber that the config does not have: it would never get its events. */
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

function sameResources(left: string, right: string): boolean {
  return left.replaceAll("-", "") === right.replaceAll("-", "");
}
