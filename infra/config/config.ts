import * as z from "zod";
import { describeIssues } from "../../shared/describe-issues.ts";
import { PaycastError } from "../../shared/paycast-error.ts";
import { smokeName } from "../../shared/smoke-merchant.ts";
import { alarmsSchema } from "./alarms-config.ts";
import {
  arnsElsewhere,
  certificateArn,
  keyArn,
  operatorsSchema,
  secretsSchema,
  sharedSecrets,
  unknownOwners,
} from "./arn-config.ts";
import { callbacksSchema, capturesTooLong, longestCaptureDays } from "./callback-config.ts";
import { concurrencySchema, reservesStorefront } from "./concurrency-config.ts";
import { egressSchema } from "./egress-config.ts";
import { logRetentionSchema } from "./log-retention.ts";
import type { RemovalChoice } from "./paycast-config.ts";
import { gatewaySchema, storefrontSchema } from "./storefront-config.ts";
import { subscribersSchema, unknownMerchants } from "./subscriber-config.ts";

/** Each merchant has two secrets, its own alarm, and an entry in the environment of four functions. */
const maximumMerchants = 20;

const merchantId = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,18}$/, "must be 1 to 18 letters, digits, dashes or underscores")
  .refine((id) => id !== smokeName, `must not be ${smokeName}: this is the merchant of smoke tests`)
  .refine((id) => id !== "__proto__", "must not be __proto__: this name is lost when JSON is read");

const domainSchema = z.strictObject({
  name: z
    .string()
    .regex(/^([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,}$/, "must be a host name in lower case"),
  certificateArn,
  hostedZone: z
    .string()
    .regex(/^Z[A-Z0-9]+$/, "must be the id of a Route 53 hosted zone")
    .optional(),
});

const removalPolicy = z.custom<RemovalChoice>(
  (value) => value === "retain" || value === "destroy",
  'must be "retain" or "destroy"',
);

/** The interface of paycast-config.ts documents these fields; the compiler checks that both are the same. */
const configSchema = z
  .strictObject({
    merchants: z
      .array(merchantId)
      .min(1)
      .max(maximumMerchants)
      .refine((ids) => new Set(ids).size === ids.length, "must not name a merchant twice"),
    subscribers: subscribersSchema,
    operators: operatorsSchema,
    smoke: z.boolean().default(false),
    callbacks: callbacksSchema.prefault({}),
    gateway: gatewaySchema.optional(),
    storefront: storefrontSchema.optional(),
    domain: domainSchema.optional(),
    alarms: alarmsSchema.optional(),
    dashboard: z.boolean().default(true),
    tracing: z.boolean().default(false),
    concurrency: concurrencySchema.prefault({}),
    egress: egressSchema.optional(),
    logRetentionDays: logRetentionSchema,
    rollout: z.enum(["at-once", "gradual"]).default("at-once"),
    secrets: secretsSchema.default({}),
    encryptionKeyArn: keyArn.optional(),
    removalPolicy: removalPolicy.default("retain"),
  })
  .check(({ value: { merchants, subscribers, secrets }, issues }) => {
    issues.push(...unknownMerchants(subscribers, merchants), ...unknownOwners(secrets, merchants));
    issues.push(...sharedSecrets(secrets));
  })
  .refine(({ gateway, storefront }) => gateway !== undefined || storefront === undefined, {
    path: ["gateway"],
    message: "must be given together with storefront, which calls it",
  })
  .refine(({ gateway, concurrency }) => gateway !== undefined || !reservesStorefront(concurrency), {
    path: ["gateway"],
    message:
      "must be given together with concurrency.createOrder, .queryOrder and .reconcileOrders: without it these functions do not exist",
  })
  .refine(({ gateway, egress }) => gateway !== undefined || egress === undefined, {
    path: ["gateway"],
    message: "must be given together with egress, which is the way to it",
  })
  .transform(({ storefront, ...rest }) => ({
    ...rest,
    // Nothing without a payment service: then the stack has no storefront.
    storefront: rest.gateway && (storefront ?? storefrontSchema.parse({})),
  }));

export type Config = z.output<typeof configSchema>;
export type ConfigInput = z.input<typeof configSchema>;

/** What a config is checked against: the region of the deployment, if known, and the clock. */
export interface ConfigSurroundings {
  readonly region?: string | undefined;
  readonly nowMilliseconds?: number;
}

type ReadConfig =
  | { readonly config: Config; readonly faults?: undefined }
  | { readonly faults: readonly string[] };

/** The config, or a sentence for each wrong field that says what is allowed there. */
export function readConfig(input: unknown, surroundings: ConfigSurroundings = {}): ReadConfig {
  const { data: config, error } = configSchema.safeParse(input);
  if (error !== undefined) {
    return {
      faults: error.issues.map((issue) => describeIssues(new z.ZodError([issue]), "the config")),
    };
  }
  const { region, nowMilliseconds = Date.now() } = surroundings;
  const faults = [
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
