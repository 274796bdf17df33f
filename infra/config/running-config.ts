import * as z from "zod";
import { cdkToken, topicArn } from "./arn-config.ts";

/** Reserved instances are not available to the account's other functions. 0 would disable the function. */
const reserved = (description: string) =>
  z.int().min(1).max(10_000).optional().describe(`Instances reserved for ${description}`);

export const concurrencySchema = z
  .strictObject({
    // A new account may run only 10 functions at a time. Five leaves half of them for receive-callback and the storefront.
    inbox: z
      .int()
      .min(2)
      .max(1000)
      .default(5)
      .describe(
        "How many batches of callbacks are processed at the same time, from 2 to 1000, and at most `processCallback`. Five batches of 10, at about 200 ms each, are about 250 callbacks a second.",
      ),
    receiveCallback: reserved(
      "receiving callbacks. This is also the maximum, so size it for the peak: 10 instances receive about 100 callbacks a second even if each takes 100 ms.",
    ),
    processCallback: reserved("processing callbacks, at least `inbox`."),
    createOrder: reserved(
      "creating orders. A small number prevents slow calls to the payment service from using up the account's limit. Calls beyond it get an error from API Gateway.",
    ),
    queryOrder: reserved("querying orders, with the same effect."),
    reconcileOrders: reserved("querying overdue orders. One is enough: runs never overlap."),
  })
  .refine(
    ({ inbox, processCallback }) => processCallback === undefined || inbox <= processCallback,
    {
      path: ["inbox"],
      message: "must be at most processCallback: Lambda would throttle the batches beyond it",
    },
  )
  .meta({ id: "PaycastConcurrency" });

/** True if it reserves functions that exist only with a payment service. */
export function reservesStorefront(concurrency: z.output<typeof concurrencySchema>): boolean {
  const { createOrder, queryOrder, reconcileOrders } = concurrency;
  return [createOrder, queryOrder, reconcileOrders].some((instances) => instances !== undefined);
}

const idOf = (prefix: string, what: string) => {
  const pattern = new RegExp(`^${prefix}-[0-9a-f]{8,17}$`);
  return z
    .string()
    .refine((id) => cdkToken.test(id) || pattern.test(id), `must be the id of a ${what}`);
};

/** Ids, because a lookup would need credentials at synthesis. The limits are Lambda's. */
export const egressSchema = z
  .strictObject({
    subnetIds: z
      .array(idOf("subnet", "subnet"))
      .min(1)
      .max(16)
      .describe(
        "Private subnets of one VPC whose NAT gateway has the fixed address. Use at least two, in different zones.",
      ),
    securityGroupIds: z
      .array(idOf("sg", "security group"))
      .min(1)
      .max(5)
      .describe("Security groups of that VPC that allow outgoing HTTPS."),
  })
  .meta({ id: "PaycastEgress" });

/** What CloudWatch Logs accepts. */
const retentionDays = [
  1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288,
  3653,
];

export const logRetentionSchema = z
  .int()
  .refine((value) => retentionDays.includes(value), `must be one of ${retentionDays.join(", ")}`)
  .default(90);

const email = z.string().regex(/^[^\s@]+@[^\s@]+\.[^\s@.]+$/, "must be an email address");

const listener = {
  topicArn: topicArn
    .optional()
    .describe(
      "ARN of a standard SNS topic in the stack's region. It gets a message when an alarm goes off and when it ends.",
    ),
  email: email
    .optional()
    .describe(
      "An email address that gets the same. AWS sends a confirmation mail after the deployment, and nothing else before it is confirmed.",
    ),
};

export const alarmsSchema = z
  .strictObject({
    ...listener,
    morning: z
      .strictObject(listener)
      .refine(reachesSomebody, "must have topicArn or email")
      .meta({ id: "PaycastAlarmListener" })
      .optional()
      .meta({
        description:
          "A `topicArn`, an `email` or both for the alarms that can wait until morning. The fields above then get only those that page the operator.",
        without: "all alarms go to the fields above",
      }),
    runbookUrl: z
      .string()
      .max(200)
      .refine(isPage, "must be an https address without a fragment")
      .optional()
      .meta({
        description:
          "The https address of your copy of docs/runbook.md, at most 200 characters. Each alarm then links to its section there.",
        without: "each alarm names the section of docs/runbook.md",
      }),
  })
  .refine(reachesSomebodyFirst, "must have topicArn or email")
  .meta({ id: "PaycastAlarms" });

/** The section becomes the fragment. CloudWatch allows 1,024 characters, and the rest of the text needs most of them. */
function isPage(text: string): boolean {
  if (!URL.canParse(text) || /[\s#]/.test(text)) return false;
  return new URL(text).protocol === "https:";
}

/** `runbookUrl` may be set alone. `morning` may not: nobody would be notified of the other alarms. */
function reachesSomebodyFirst({ morning, runbookUrl, ...first }: Alarms): boolean {
  return reachesSomebody(first) || (runbookUrl !== undefined && morning === undefined);
}

interface Alarms extends Listener {
  readonly morning?: Listener | undefined;
  readonly runbookUrl?: string | undefined;
}

interface Listener {
  readonly topicArn?: string | undefined;
  readonly email?: string | undefined;
}

/** An empty entry would look like a notification, but nobody would be notified. */
function reachesSomebody(listener: Listener): boolean {
  return listener.topicArn !== undefined || listener.email !== undefined;
}
