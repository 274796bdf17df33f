import { PaycastError } from "../../../shared/errors/paycast-error.ts";
import type { GatewaySettings } from "../../../shared/gateway/gateway-settings.ts";
import { ifAvailable, type Unavailable } from "./available.ts";

/** The ids of a merchant's two secrets. A stack without a payment service has no request keys in use. */
export interface MerchantSecrets {
  readonly merchantId: string;
  readonly callbackKeys: string;
  readonly requestKeys: string | undefined;
}

/** A merchant that exists only for `smoke`, with its own queue. */
export interface SmokeMerchant {
  readonly merchantId: string;
  readonly queueUrl: string;
  readonly callbackKeys: string;
}

/** Something that a person or a deployment changed. */
export interface StackChange {
  readonly kind: "deployment" | "audited" | "start";
  /** RFC 3339. */
  readonly at: string;
  /** "keys of ShopEurope set" */
  readonly text: string;
  readonly who: string | undefined;
}

/** What CloudFormation knows of a deployed stack. */
interface Deployment {
  readonly accountId: string;
  /** The deployed version of Paycast, if the stack has it. */
  readonly version: string | undefined;
  /** The customer's own KMS key that the stack encrypts with, if there is one. */
  readonly encryptionKeyArn: string | undefined;
  /** `UPDATE_COMPLETE`, as CloudFormation writes it. */
  readonly status: () => Promise<string>;
  /** Throws `target-not-found`. */
  readonly describe: () => Promise<StackDescription>;
}

export type StackOutputs = ReadonlyMap<string, string>;

export interface StackDescription {
  /** The stack's ARN, which has the partition, region and account of all others. */
  readonly stackId: string;
  readonly outputs: StackOutputs;
}

/** Throws `target-incomplete`. */
export function requiredOutput(outputs: StackOutputs, name: string): string {
  const value = outputs.get(name);
  if (value !== undefined) return value;
  throw new PaycastError(
    "target-incomplete",
    `The stack has no output ${name}. It is not a Paycast stack, or another version is deployed.`,
  );
}

/** What only the local stack has. */
export interface LocalParts {
  /** Where the simulated payment service is controlled. */
  readonly simulator: string;
  /** The emulators. */
  readonly endpoints: {
    readonly sqs: string;
    readonly dynamodb: string;
    readonly secretsmanager: string;
  };
}

/** What the stack is, and what it was deployed with. */
export interface Stack {
  readonly kind: "local" | "deployed";
  /** "local", or the name of the stack. */
  readonly name: string;
  readonly region: string;
  /** The base address of the HTTP API. */
  readonly api: string;
  readonly callbackUrl: string;
  readonly merchants: readonly MerchantSecrets[];
  readonly smoke: SmokeMerchant | Unavailable;
  /** How to call the payment service. */
  readonly gateway: GatewaySettings | Unavailable;
  readonly deployment: Deployment | Unavailable;
  readonly local: LocalParts | Unavailable;
  /** Deployments, or the start of a local stack. */
  readonly changesSince: (sinceMilliseconds: number) => Promise<readonly StackChange[]>;
}

/** "Paycast in 123456789012, eu-central-1", or "the local stack". */
export function stackText({ kind, name, deployment, region }: Stack): string {
  if (kind === "local") return "the local stack";
  const accountId = ifAvailable(deployment)?.accountId;
  return `${name} in ${accountId === undefined ? "" : `${accountId}, `}${region}`;
}

/** Every merchant that callbacks can name, the one of smoke tests included. */
export function merchantIdsOf({ merchants, smoke }: Pick<Stack, "merchants" | "smoke">): string[] {
  const real = merchants.map(({ merchantId }) => merchantId);
  const smokeId = ifAvailable(smoke)?.merchantId;
  return smokeId === undefined ? real : [...real, smokeId];
}

/** Throws `not-found`, with the merchants that there are. */
export function findMerchant(
  { merchants }: Pick<Stack, "merchants">,
  merchantId: string,
): MerchantSecrets {
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
