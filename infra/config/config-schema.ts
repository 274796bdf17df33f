import type { RemovalPolicy } from "aws-cdk-lib";
import * as z from "zod";
import { describeIssues } from "../../shared/errors/describe-issues.ts";
import { PaycastError } from "../../shared/errors/paycast-error.ts";
import { smokeName } from "../../shared/smoke-merchant.ts";
import {
  arnsElsewhere,
  keyArn,
  operatorsElsewhere,
  operatorsSchema,
  secretsSchema,
  sharedSecrets,
  unknownOwners,
} from "./arn-config.ts";
import { callbacksSchema, capturesTooLong, longestCaptureDays } from "./callback-config.ts";
import {
  alarmsSchema,
  concurrencySchema,
  egressSchema,
  logRetentionSchema,
  reservesStorefront,
} from "./running-config.ts";
import { domainSchema, gatewaySchema, storefrontSchema } from "./storefront-config.ts";
import { subscribersSchema, unknownMerchants } from "./subscriber-config.ts";

/** Each merchant needs two secrets, an alarm, and an entry in the environment of four functions. */
const maximumMerchants = 20;

const merchantId = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,18}$/, "must be 1 to 18 letters, digits, dashes or underscores")
  .refine((id) => id !== smokeName, `must not be ${smokeName}: this is the merchant of smoke tests`)
  .refine((id) => id !== "__proto__", "must not be __proto__: this name is lost when JSON is read");

const removalPolicy = z
  .custom<RemovalChoice>(
    (value) => value === "retain" || value === "destroy",
    'must be "retain" or "destroy"',
  )
  .meta({
    id: "RemovalChoice",
    description: "`RemovalPolicy` of the CDK, or the same in a config file.",
  });

/**
 * Every field with its rules, its default and its description. `npm run docs` and packing generate the tables of
 * docs/configuration.md and the construct's types from it: `without` describes the default, `more` links to details.
 */
export const configSchema = z
  .strictObject({
    merchants: z
      .array(merchantId)
      .min(1)
      .max(maximumMerchants)
      .refine((ids) => new Set(ids).size === ids.length, "must not name a merchant twice")
      .describe(
        "Your merchant ids at the payment service: at most 20, each 1 to 18 letters, digits, dashes or underscores.",
      ),
    subscribers: subscribersSchema.meta({
      description: "The teams that get events, each through its own queue. About 18 fit.",
      more: "#subscribers",
    }),
    operators: operatorsSchema.meta({
      description:
        "ARNs of the roles that may send to the queues, as `redrive` and `replay` do. Only they and the functions may, whatever IAM allows.",
      without: "IAM alone decides",
      more: "#operators",
    }),
    smoke: z.boolean().default(false).meta({
      description:
        "Adds a merchant and a subscriber for smoke tests (`npx paycast smoke`). No other subscriber gets their events.",
      more: "#smoke-tests",
    }),
    callbacks: callbacksSchema
      .prefault({})
      .describe("Which callbacks are accepted, and how long their records are kept."),
    gateway: gatewaySchema
      .optional()
      .describe(
        "The payment service. Without it the stack only receives callbacks and does not detect lost ones.",
      ),
    storefront: storefrontSchema.optional().meta({
      description: "The API that creates and queries orders. It requires `gateway`.",
      without: "with `gateway`: access `iam`",
    }),
    domain: domainSchema
      .optional()
      .describe("Your own host name. Without it the API has an address of AWS."),
    alarms: alarmsSchema.optional().meta({
      description:
        "Who is notified of alarms. Without it alarms show only in CloudWatch, and the app warns.",
      more: "#alarms",
    }),
    dashboard: z
      .boolean()
      .default(true)
      .describe(
        "Creates a CloudWatch dashboard that follows a callback through the stack. Each alarm's description links to it.",
      ),
    tracing: z.boolean().default(false).meta({
      description:
        "Records function calls in X-Ray, which can cost more than the calls. Log lines and events carry a trace id (`traceparent`) even without it.",
      more: "cost.md#what-each-option-adds",
    }),
    concurrency: concurrencySchema.prefault({}).meta({
      description: "How many instances of the functions may run at the same time.",
      more: "#concurrency",
    }),
    egress: egressSchema.optional().meta({
      description:
        "A network for calls to a payment service that accepts only a fixed address. It requires `gateway`.",
      more: "#a-fixed-address-towards-the-payment-service",
    }),
    logRetentionDays: logRetentionSchema.describe(
      "How many days the logs of the functions and the API are kept: a number that CloudWatch Logs accepts. The audit log is kept for ten years.",
    ),
    rollout: z.enum(["at-once", "gradual"]).default("at-once").meta({
      description:
        "How a new version of receive-callback takes over: for all callbacks immediately (`at-once`), or for one in ten during five minutes, with a rollback if its alarms go off (`gradual`).",
      more: "changing.md#a-gradual-rollout",
    }),
    secrets: secretsSchema
      .default({})
      .describe(
        "Existing secrets, by merchant id, for example with keys that were stored before the first deployment.",
      ),
    encryptionKeyArn: keyArn.optional().meta({
      description:
        "ARN of your own KMS key, in the stack's region, for the queues, tables, secrets and logs. Not an alias.",
      without: "keys that AWS manages",
      more: "construct.md#a-kms-key-of-your-own",
    }),
    removalPolicy: removalPolicy
      .default("retain")
      .describe(
        "What happens to tables, queues, secrets and the audit log when the stack or a subscriber is deleted. `retain` keeps them; `destroy` deletes them with all payments, and is only for test stacks.",
      ),
  })
  .check(({ value: { merchants, subscribers, secrets }, issues }) => {
    issues.push(...unknownMerchants(subscribers, merchants), ...unknownOwners(secrets, merchants));
    issues.push(...sharedSecrets(secrets));
  })
  .refine(({ gateway, storefront }) => gateway !== undefined || storefront === undefined, {
    path: ["gateway"],
    message: "must be set together with storefront, which calls it",
  })
  .refine(({ gateway, concurrency }) => gateway !== undefined || !reservesStorefront(concurrency), {
    path: ["gateway"],
    message:
      "must be set together with concurrency.createOrder, .queryOrder and .reconcileOrders: these functions exist only with a gateway",
  })
  .refine(({ gateway, egress }) => gateway !== undefined || egress === undefined, {
    path: ["gateway"],
    message: "must be set together with egress, which leads to it",
  })
  .transform(({ storefront, ...rest }) => ({
    ...rest,
    // Without a payment service the stack has no storefront.
    storefront: rest.gateway && (storefront ?? storefrontSchema.parse({})),
  }));

/** `RemovalPolicy` of the CDK, or the same in a config file. */
export type RemovalChoice = RemovalPolicy.RETAIN | RemovalPolicy.DESTROY | "retain" | "destroy";

export type Config = z.output<typeof configSchema>;
export type ConfigInput = z.input<typeof configSchema>;

/** The account and region of the deployment, if known, and the clock. */
export interface ConfigSurroundings {
  readonly account?: string | undefined;
  readonly region?: string | undefined;
  readonly nowMilliseconds?: number;
}

type ReadConfig =
  | { readonly config: Config; readonly faults?: undefined }
  | { readonly faults: readonly string[] };

/** Returns the config, or a sentence for each wrong field that says what is allowed. */
export function readConfig(input: unknown, surroundings: ConfigSurroundings = {}): ReadConfig {
  const { data: config, error } = configSchema.safeParse(input);
  if (error !== undefined) {
    return {
      faults: error.issues.map((issue) => describeIssues(new z.ZodError([issue]), "the config")),
    };
  }
  const { account, region, nowMilliseconds = Date.now() } = surroundings;
  const faults = [
    ...(account === undefined ? [] : operatorsElsewhere(config, account)),
    ...(region === undefined ? [] : arnsElsewhere(config, region)),
    ...longCapture(config, nowMilliseconds),
  ];
  return faults.length > 0 ? { faults } : { config };
}

/** Throws `config-invalid` with a message that names every wrong field. */
export function parseConfig(input: unknown, surroundings: ConfigSurroundings = {}): Config {
  const read = readConfig(input, surroundings);
  if (read.faults) throw new PaycastError("config-invalid", read.faults.join("; "));
  return read.config;
}

function longCapture({ callbacks: { captureUntil } }: Config, nowMilliseconds: number): string[] {
  if (captureUntil === undefined || !capturesTooLong(captureUntil, nowMilliseconds)) return [];
  return [`callbacks.captureUntil must be at most ${longestCaptureDays} days ahead`];
}
