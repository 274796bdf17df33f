import * as z from "zod";
import { cdkToken, topicArn } from "./arn-config.ts";

/** Reserved instances are not available to the account's other functions; 0 would switch the function off. */
const reserved = (description: string) =>
  z.int().min(1).max(10_000).optional().describe(`Instances reserved for ${description}`);

export const concurrencySchema = z
  .strictObject({
    // A new account may run only 10 functions at a time: five leaves half of that for receive-callback and the storefront.
    inbox: z
      .int()
      .min(2)
      .max(1000)
      .default(5)
      .describe(
        "How many batches of callbacks are processed at once, from 2 to 1000. Five batches of 10, at about 200 ms a batch, are some 250 callbacks a second. At most `processCallback`, where that is given.",
      ),
    receiveCallback: reserved(
      "receiving callbacks: nothing else in the account can take them. Also the most that can run, so size it for the peak: 10 receive some 100 callbacks a second even when each takes 100 ms.",
    ),
    processCallback: reserved("processing callbacks, at least `inbox`."),
    createOrder: reserved(
      "creating orders. A small number keeps slow calls to the payment service from using up the account; calls beyond it get an error from API Gateway.",
    ),
    queryOrder: reserved("querying orders, with the same effect."),
    reconcileOrders: reserved(
      "asking about overdue orders. One is enough: a second run would find the first one's lease and end.",
    ),
  })
  .refine(
    ({ inbox, processCallback }) => processCallback === undefined || inbox <= processCallback,
    {
      path: ["inbox"],
      message: "must be at most processCallback: Lambda would throttle the batches beyond it",
    },
  )
  .meta({ id: "PaycastConcurrency" });

/** Whether it names functions that only a stack with a payment service has. */
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

/** Ids, because a lookup would need credentials when the stack is synthesized. The limits are Lambda's own. */
export const egressSchema = z
  .strictObject({
    subnetIds: z
      .array(idOf("subnet", "subnet"))
      .min(1)
      .max(16)
      .describe(
        "Private subnets of one network, whose NAT gateway has the fixed address. At least two, in different zones.",
      ),
    securityGroupIds: z
      .array(idOf("sg", "security group"))
      .min(1)
      .max(5)
      .describe("Security groups of that network, which let HTTPS out."),
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
      "ARN of a standard SNS topic in the stack's region, which gets a message when an alarm starts and another one when it is over.",
    ),
  email: email
    .optional()
    .describe(
      "An email address that gets the same. AWS asks it for its consent after the deployment, and sends nothing before.",
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
          "Hears of the alarms that can wait for the morning. Then the others are only those that should wake a person.",
        without: "the same as for all others",
      }),
    runbookUrl: z
      .string()
      .max(200)
      .refine(isPage, "must be an https address without a fragment")
      .optional()
      .meta({
        description:
          "Where your copy of docs/runbook.md is, https, at most 200 characters. The text of each alarm then links to its section there.",
        without: "each alarm names the section of docs/runbook.md",
      }),
  })
  .refine(reachesSomebodyFirst, "must have topicArn or email")
  .meta({ id: "PaycastAlarms" });

/** The section is its fragment. CloudWatch accepts 1,024 characters, and the rest of the text needs most of them. */
function isPage(text: string): boolean {
  if (!URL.canParse(text) || /[\s#]/.test(text)) return false;
  return new URL(text).protocol === "https:";
}

/** The address of the runbook may be given alone. The morning's listener may not: nobody would hear of the other alarms. */
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

/** An entry without any would look like a notification, but nobody would be notified. */
function reachesSomebody(listener: Listener): boolean {
  return listener.topicArn !== undefined || listener.email !== undefined;
}
