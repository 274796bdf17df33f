import { setTimeout as pause } from "node:timers/promises";
import type { Subscriber } from "../../../shared/delivery/subscriber.ts";
import { PaycastError } from "../../../shared/errors/paycast-error.ts";
import type { GatewaySettings } from "../../../shared/gateway/gateway-settings.ts";
import type { Tables } from "../../../shared/orders/aggregate-store.ts";
import type { Database } from "../../../shared/table/database.ts";
import type { WriteAudit } from "../audit/write-audit.ts";
import type { AwsClients, LocalEndpoints } from "./aws-clients.ts";

export interface TargetSubscriber extends Subscriber {
  readonly deadLettersUrl: string;
}

/** The ids of a merchant's two secrets. A stack without a payment service has no request keys in use. */
export interface MerchantSecrets {
  readonly merchantId: string;
  readonly callbackKeys: string;
  readonly requestKeys: string | undefined;
}

export interface TargetFunction {
  /** The name in this project, such as "process-callback". */
  readonly label: string;
  /** The name in AWS. */
  readonly name: string;
  readonly environment: Readonly<Record<string, string>>;
  /** The ARN of its role; a local function has none. */
  readonly role?: string | undefined;
  /** Where a deployed function's log lines are. */
  readonly logGroup?: string | undefined;
}

/** A merchant that exists only for `smoke`, with its own queue. */
export interface SmokeMerchant {
  readonly merchantId: string;
  readonly queueUrl: string;
  readonly callbackKeys: string;
}

/** The stack that an operation works on: what it consists of, and how to reach it. */
export interface Target {
  readonly kind: "local" | "deployed";
  /** "local", or the name of the stack. */
  readonly name: string;
  readonly region: string;
  /** The stack's time. The clock of a local stack may have jumped forward. */
  readonly now: () => number;
  /** The AWS account of a deployed stack. */
  readonly accountId: string | undefined;
  /** The base address of the HTTP API. */
  readonly api: string;
  readonly callbackUrl: string;
  readonly inbox: { readonly url: string; readonly deadLettersUrl: string };
  readonly subscribers: readonly TargetSubscriber[];
  readonly tables: Tables;
  readonly merchants: readonly MerchantSecrets[];
  /** The id of the secret with the stamp key, which no operation reads. */
  readonly stampKey: string;
  readonly functions: readonly TargetFunction[];
  /** How to call the payment service; undefined if the stack only receives callbacks. */
  readonly gateway: GatewaySettings | undefined;
  /** How long the previous version of a merchant's keys verifies after a rotation. */
  readonly previousKeysMilliseconds: number;
  /** The queue of captured envelopes, if capturing is configured. */
  readonly capturedUrl: string | undefined;
  readonly smoke: SmokeMerchant | undefined;
  /** The customer's own KMS key that the stack encrypts with, if there is one. */
  readonly encryptionKeyArn: string | undefined;
  /** The deployed version of Paycast, if the stack has it. */
  readonly version: string | undefined;
  /** Where the local payment service is controlled. */
  readonly simulator: string | undefined;
  /** The emulators of the local stack. */
  readonly endpoints: Omit<LocalEndpoints, "region"> | undefined;
  /** The file with the active alarms of the local stack; a deployed stack has CloudWatch. */
  readonly alarmsFile: string | undefined;
  /** The file with the counts of the local stack's queues; a deployed stack has CloudWatch. */
  readonly queueMetricsFile: string | undefined;
  /** The file of the local functions' log lines; a deployed stack has CloudWatch. */
  readonly functionLog: string | undefined;
  /** The file of the local stack's template; a deployed stack has CloudFormation. */
  readonly templateFile: string | undefined;
  /** Where audit lines are: a log group, or the file of the local stack. */
  readonly auditLog: string | undefined;
  /** When the local stack was started, RFC 3339. */
  readonly startedAt: string | undefined;
  readonly clients: AwsClients;
  readonly audit: WriteAudit;
}

/** "Paycast in 123456789012, eu-central-1", or "the local stack". */
export function targetText({ kind, name, accountId, region }: Target): string {
  if (kind === "local") return "the local stack";
  return `${name} in ${accountId === undefined ? "" : `${accountId}, `}${region}`;
}

/** Every merchant that callbacks can name, the one of smoke tests included. */
export function merchantIdsOf({ merchants, smoke }: Target): string[] {
  const real = merchants.map(({ merchantId }) => merchantId);
  return smoke === undefined ? real : [...real, smoke.merchantId];
}

/** Throws `not-found`, with the merchants that there are. */
export function findMerchant({ merchants }: Target, merchantId: string): MerchantSecrets {
  const found = merchants.find((merchant) => merchant.merchantId === merchantId);
  if (found !== undefined) return found;
  throw noSuchMerchant(merchants.map((merchant) => merchant.merchantId));
}

export function noSuchMerchant(known: readonly string[]): PaycastError {
  return new PaycastError(
    "not-found",
    `The stack has no such merchant. It has: ${known.join(", ")}.`,
  );
}

/** Order numbers are unique only within a merchant. */
export function severalMerchants(merchantIds: readonly string[]): PaycastError {
  return new PaycastError(
    "wrong-usage",
    `Several merchants have this order: ${merchantIds.join(", ")}. Name one with --merchant.`,
  );
}

/** Throws `not-found`, with the names that there are. */
export function findSubscriber({ subscribers }: Target, name: string): TargetSubscriber {
  const found = subscribers.find((subscriber) => subscriber.name === name);
  if (found !== undefined) return found;
  const names = subscribers.map((subscriber) => subscriber.name).join(", ");
  throw new PaycastError(
    "not-found",
    `The stack has no subscriber of that name. It has: ${names}.`,
  );
}

/** Makes something once for each target, and keeps it as long as the target is in use. */
export function keptFor<T>(make: (target: Target) => T): (target: Target) => T {
  const made = new WeakMap<Target, T>();
  return (target) => {
    const kept = made.get(target) ?? make(target);
    made.set(target, kept);
    return kept;
  };
}

/** An operation may run for long, so each call has its own deadline. */
const usualCallMilliseconds = 20_000;

/** The target's tables, for the functions of `shared/table`, `shared/orders` and `shared/records`. */
export function databaseOf(
  { clients }: Pick<Target, "clients">,
  now: () => number = Date.now,
  callMilliseconds = usualCallMilliseconds,
): Database {
  return {
    client: clients.dynamodb,
    get endsAtMilliseconds() {
      return now() + callMilliseconds;
    },
    now,
    random: Math.random,
    pause: async (milliseconds) => {
      await pause(milliseconds);
    },
  };
}
