import * as z from "zod";
import { eventTypes } from "../shared/facts/event-types.ts";

/** An event name of the interface (§6), or a pattern that stands for several. */
const subscribableTypes = [...eventTypes, "payment.order.*", "payment.refund.*", "*"] as const;

/** What the functions' list of subscribers may take of the 4 KB that Lambda gives an environment. */
const maximumListBytes = 3400;
/** A queue's URL, known only after deployment: 80 characters of name, the host and the account. */
const queueUrlBytes = 140;

const subscriberSchema = z
  .strictObject({
    name: z
      .string()
      .max(32)
      .regex(/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/, 'must be lower case words like "order-history"'),
    types: z
      .array(z.enum(subscribableTypes))
      .min(1)
      .refine((types) => new Set(types).size === types.length, "must not name a type twice"),
    ordered: z.boolean().optional(),
    queueArn: z
      .string()
      .regex(
        /^arn:aws[a-z-]*:sqs:[a-z0-9-]+:\d{12}:[A-Za-z0-9_-]{1,75}(\.fifo)?$/,
        "must be the ARN of an SQS queue",
      )
      .optional(),
    readers: z
      .array(z.string().regex(/^\d{12}$/, "must be an account id of 12 digits"))
      .default([]),
  })
  .refine(({ queueArn, readers }) => queueArn === undefined || readers.length === 0, {
    path: ["readers"],
    message: "must be left out when queueArn is given: the owner of that queue says who reads it",
  })
  .refine(({ queueArn, ordered }) => !queueArn || ordered !== !isFifo(queueArn), {
    path: ["ordered"],
    message: "must agree with queueArn: a queue is ordered when its name ends in .fifo",
  })
  .transform(({ queueArn, ordered, ...rest }) => ({
    ...rest,
    queueArn,
    ordered: queueArn === undefined ? (ordered ?? true) : isFifo(queueArn),
  }));

export type Subscriber = z.output<typeof subscriberSchema>;

export const subscribersSchema = z.array(subscriberSchema).check(({ value, issues }) => {
  value.forEach((subscriber, index) => {
    const earlier = value.slice(0, index);
    const fault = (field: string, message: string) =>
      issues.push({ code: "custom", input: value, path: [index, field], message });
    if (earlier.some(({ name }) => sameResources(name, subscriber.name))) {
      fault("name", "must differ from the other names by more than dashes");
    }
    // Two on one FIFO queue would carry the same deduplication id, and SQS would swallow the second.
    if (subscriber.queueArn && earlier.some(({ queueArn }) => queueArn === subscriber.queueArn)) {
      fault("queueArn", "must not be shared with another subscriber");
    }
  });
  if (listBytes(value) > maximumListBytes) {
    const message =
      "must be fewer, or use patterns such as payment.order.*: the list has to fit a Lambda environment";
    issues.push({ code: "custom", input: value, message });
  }
});

function isFifo(queueArn: string): boolean {
  return queueArn.endsWith(".fifo");
}

function sameResources(one: string, other: string): boolean {
  return one.replaceAll("-", "") === other.replaceAll("-", "");
}

function listBytes(subscribers: readonly Subscriber[]): number {
  const list = subscribers.map(({ name, types, ordered }) => ({
    name,
    types,
    queueUrl: "",
    ordered,
  }));
  return JSON.stringify(list).length + subscribers.length * queueUrlBytes;
}
