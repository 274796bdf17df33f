import { CreateSecretCommand } from "@aws-sdk/client-secrets-manager";
import { afterEach } from "vitest";
import type { WireProfileInput } from "../../local/simulator/profile.ts";
import {
  type Simulator,
  type SimulatorOptions,
  startSimulator,
} from "../../local/simulator/start-simulator.ts";
import type { ProfileInput } from "../../shared/envelope/profile.ts";
import {
  makeMerchant,
  merchantPair,
  privatePem,
  publicPem,
  servicePair,
  type TestMerchant,
} from "../builders/merchant.ts";
import { getItem, randomName } from "../integration/aws-stores.ts";
import { orderItem, pump } from "../integration/flow.ts";
import type { FunctionName, Instance } from "../integration/instance.ts";
import { useWorlds, type World } from "../integration/world.ts";
import { type Routes, startHttpFront } from "./http-front.ts";
import { canariesIn, type Fields, orderBody } from "./order.ts";

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
  };
  readonly simulator?: Partial<SimulatorOptions>;
  /** How many instances of create-order and query-order there are. */
  readonly instances?: number;
  readonly redirectOrigins?: readonly string[];
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Record<string, unknown>;
}

export type Shop = Awaited<ReturnType<typeof makeShop>>;

/** For each test a storefront of its own before a payment service of its own; nothing in a log may be a secret. */
export function useShops(): (options?: ShopOptions) => Promise<Shop> {
  const makeWorld = useWorlds();
  const ends: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const end of ends.splice(0)) await end();
  });
  return async (options = {}) => {
    const { profile = {}, merchantId } = options;
    const world = await makeWorld({ merchant: { profile, ...(merchantId && { merchantId }) } });
    return await makeShop(world, options, (end) => ends.push(end));
  };
}

async function makeShop(
  world: World,
  options: ShopOptions,
  onEnd: (end: () => Promise<void>) => void,
) {
  const others = (options.otherMerchants ?? []).map((merchantId) => makeMerchant({ merchantId }));
  const merchants = [world.merchant, ...others];
  const routes: Routes = {};
  const front = await startHttpFront(routes);
  onEnd(front.stop);
  const simulator = await startSimulator({
    merchants: merchants.map((merchant) => serviceSide(merchant, options)),
    clockSpeed: 0,
    ...options.simulator,
  });
  onEnd(simulator.stop);
  for (const line of privatePem(merchantPair()).split("\n").slice(1, -2)) world.canaries.add(line);
  const environment = await environmentOf(world, merchants, front.endpoint, simulator, options);
  const start = async (name: string, changes: Record<string, string> = {}): Promise<Instance> =>
    await world.start(name as FunctionName, { ...environment, ...changes });
  const running = new Map<string, Promise<readonly Instance[]>>();
  /** The instances of a function, started when they are first asked for. */
  const instancesOf = async (name: string): Promise<readonly Instance[]> => {
    const isStorefront = name === "create-order" || name === "query-order";
    const count = isStorefront ? (options.instances ?? 1) : 1;
    const started =
      running.get(name) ?? Promise.all(Array.from({ length: count }, () => start(name)));
    running.set(name, started);
    return await started;
  };
  const only = async (name: string) => (await instancesOf(name))[0]!;
  routes["POST /callbacks"] = () => instancesOf("receive-callback");
  routes["POST /orders"] = () => instancesOf("create-order");
  routes["GET /orders/{orderNo+}"] = () => instancesOf("query-order");
  routes["GET /payments/{paymentId}"] = () => instancesOf("query-order");
  const pumpInbox = async () => await pump(world, await only("process-callback"));
  const call = createCall(front.endpoint);
  return {
    world,
    merchants,
    simulator,
    start,
    creator: () => only("create-order"),
    querier: () => only("query-order"),
    queriers: () => instancesOf("query-order"),
    processor: () => only("process-callback"),
    /** From now on another instance answers, as after a crash. */
    replace: async (name: string) => {
      running.delete(name);
      return await only(name);
    },
    url: front.endpoint,
    create: async (body: unknown = orderBody()): Promise<Answer> => {
      for (const canary of canariesIn(body)) world.canaries.add(canary);
      const text = typeof body === "string" ? body : JSON.stringify(body);
      return await call("/orders", { method: "POST", body: text });
    },
    /** POST /callbacks, as the service does. */
    receive: async (envelope: object): Promise<Answer> =>
      await call("/callbacks", { method: "POST", body: JSON.stringify(envelope) }),
    get: async (path: string): Promise<Answer> => await call(path),
    /** Everything that is in the inbox goes its way. */
    pump: pumpInbox,
    order: async (orderNo: string) => await orderItem(world, orderNo),
    payment: async (paymentId: string) =>
      await getItem(world.dynamodb, world.tables.orders, {
        orderKey: `${world.merchant.merchantId}#payment#${paymentId}`,
      }),
    /** The consumer pays, the service tells, and all of it is processed. */
    pay: async (paymentId: string) => {
      simulator.pay(paymentId);
      await simulator.settled();
      simulator.stepClock(2);
      await simulator.settled();
      await pumpInbox();
    },
  };
}

function createCall(endpoint: string) {
  return async (path: string, init: RequestInit = {}): Promise<Answer> => {
    const headers = { "content-type": "application/json" };
    const response = await fetch(`${endpoint}${path}`, { ...init, headers });
    return {
      status: response.status,
      headers: response.headers,
      body: JSON.parse(await response.text()),
    };
  };
}

/** What the payment service holds of a merchant. */
function serviceSide(merchant: TestMerchant, { resultNames }: ShopOptions) {
  const { aesKey, profile } = JSON.parse(merchant.requestSecret());
  return {
    merchantId: merchant.merchantId,
    aesKey,
    merchantPublicKey: publicPem(merchantPair()),
    servicePrivateKey: privatePem(servicePair()),
    ...((profile ?? resultNames) && { profile: { ...profile, ...resultNames } }),
  };
}

async function environmentOf(
  world: World,
  merchants: readonly TestMerchant[],
  url: string,
  simulator: Simulator,
  options: ShopOptions,
): Promise<Record<string, string>> {
  const requestKeys = await storeSecrets(world, merchants, "requestSecret");
  const callbackKeys = await storeSecrets(world, merchants, "callbackSecret");
  const { baseUrl = simulator.url, pathPrefix = "", paths = {} } = options.gateway ?? {};
  const create = "/payment/api/v1/payment-order";
  const gateway = { baseUrl, pathPrefix, paths: { create, query: `${create}/query`, ...paths } };
  return {
    ORDERS_TABLE: world.tables.orders,
    REQUEST_KEYS: JSON.stringify(requestKeys),
    CALLBACK_KEYS: JSON.stringify(callbackKeys),
    GATEWAY: JSON.stringify(gateway),
    CALLBACK_URL: `${url}/callbacks`,
    REDIRECT_ORIGINS: JSON.stringify(options.redirectOrigins ?? ["https://shop.example"]),
    INBOX_QUEUE_URL: world.inboxUrl,
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
