import { CreateSecretCommand } from "@aws-sdk/client-secrets-manager";
import type { ProfileInput } from "../../shared/envelope/profile.ts";
import type { SimulatorOptions } from "../../tools/simulator/start-simulator.ts";
import type { WireProfileInput } from "../../tools/simulator/wire/profile.ts";
import {
  merchantPair,
  privatePem,
  publicPem,
  servicePair,
  type TestMerchant,
} from "../builders/merchant.ts";
import { randomName } from "../integration/aws-stores.ts";
import type { World } from "../integration/world.ts";
import type { Fields } from "./order.ts";

export interface ShopOptions {
  readonly profile?: ProfileInput;
  /** How the service names two fields of a result object; a merchant reads either. */
  readonly resultNames?: Pick<WireProfileInput, "orderNoName" | "completeTimeName">;
  readonly merchantId?: string;
  /** Merchants beside the world's own. */
  readonly otherMerchants?: readonly string[];
  readonly gateway?: {
    readonly baseUrl?: string;
    readonly pathPrefix?: string;
    readonly paths?: Fields;
    readonly shortOrderNumbers?: boolean;
    readonly callerCodes?: readonly string[];
  };
  readonly simulator?: Partial<SimulatorOptions>;
  /** How many instances of create-order and query-order there are. */
  readonly instances?: number;
  readonly redirectOrigins?: readonly string[];
}

/** What the payment service holds of a merchant. */
export function serviceSide(merchant: TestMerchant, { resultNames }: ShopOptions) {
  const { aesKey, profile } = JSON.parse(merchant.requestSecret());
  return {
    merchantId: merchant.merchantId,
    aesKey,
    merchantPublicKey: publicPem(merchantPair()),
    servicePrivateKey: privatePem(servicePair()),
    ...((profile ?? resultNames) && { profile: { ...profile, ...resultNames } }),
  };
}

/** The variables of the functions, with the secrets that they name. */
export async function environmentOf(
  world: World,
  merchants: readonly TestMerchant[],
  url: string,
  serviceUrl: string,
  options: ShopOptions,
): Promise<Record<string, string>> {
  const requestKeys = await storeSecrets(world, merchants, "requestSecret");
  const callbackKeys = await storeSecrets(world, merchants, "callbackSecret");
  const { baseUrl = serviceUrl, pathPrefix = "", paths = {}, ...further } = options.gateway ?? {};
  const create = "/payment/api/v1/payment-order";
  const allPaths = { create, query: `${create}/query`, ...paths };
  const gateway = { baseUrl, pathPrefix, paths: allPaths, ...further };
  return {
    CALLBACKS_TABLE: world.tables.callbacks,
    ORDERS_TABLE: world.tables.orders,
    RECORD_EXPIRY_DAYS: "90",
    REQUEST_KEYS: JSON.stringify(requestKeys),
    CALLBACK_KEYS: JSON.stringify(callbackKeys),
    GATEWAY: JSON.stringify(gateway),
    CALLBACK_URL: `${url}/callbacks`,
    REDIRECTS: JSON.stringify({ origins: options.redirectOrigins, loopback: false }),
    INBOX_QUEUE_URL: world.inboxUrl,
    STAMP_KEY: world.stampKeyId,
  };
}

async function storeSecrets(
  world: World,
  merchants: readonly TestMerchant[],
  kind: "requestSecret" | "callbackSecret",
): Promise<Record<string, string>> {
  const names: Record<string, string> = {};
  for (const merchant of merchants) {
    const Name = randomName(kind);
    const SecretString = merchant[kind]();
    world.canaries.add(JSON.parse(SecretString).aesKey);
    await world.secrets.send(new CreateSecretCommand({ Name, SecretString }));
    names[merchant.merchantId] = Name;
  }
  return names;
}
