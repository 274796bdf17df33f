import { afterAll, afterEach, beforeEach, expect } from "vitest";
import { startSimulator } from "../../tools/simulator/start-simulator.ts";
import { makeMerchant, merchantPair, privatePem } from "../builders/merchant.ts";
import { canariesIn } from "../integration/canaries.ts";
import { type Call, to } from "../integration/fault-proxy.ts";
import { orderItem, paymentItem, pump } from "../integration/flow.ts";
import type { FunctionName, Instance } from "../integration/instance.ts";
import { useWorlds, type World } from "../integration/world.ts";
import { type Routes, startHttpFront } from "./http-front.ts";
import { keepPort } from "./keep-port.ts";
import { orderBody } from "./order.ts";
import { environmentOf, type ShopOptions, serviceSide } from "./shop-environment.ts";

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Record<string, unknown>;
}

export type Shop = Awaited<ReturnType<typeof makeShop>>;

/**
 * Storefronts, each before a payment service of its own. One that a test makes ends with it, one made before all tests
 * ends after them. Nothing in a log may be a secret, and every read of the table is consistent.
 */
export function useShops(): (options?: ShopOptions) => Promise<Shop> {
  const makeWorld = useWorlds();
  const ofFile: (() => Promise<void>)[] = [];
  const ofTest: (() => Promise<void>)[] = [];
  let ends = ofFile;
  const endAll = async (ended: typeof ofFile) => {
    for (const end of ended.splice(0)) await end();
  };
  beforeEach(() => {
    ends = ofTest;
  });
  afterEach(async () => {
    ends = ofFile;
    await endAll(ofTest);
  });
  afterAll(() => endAll(ofFile));
  return async (options = {}) => {
    const { profile = {}, merchantId } = options;
    const world = await makeWorld({ merchant: { profile, ...(merchantId && { merchantId }) } });
    const ownEnds = ends;
    const shop = await makeShop(world, options, (end) => ownEnds.push(end));
    ownEnds.push(async () => expect(inconsistentReads(shop.started)).toEqual([]));
    return shop;
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
    // The first callback waits for the start of receive-callback. If it were given up, the stopped clock would not repeat it.
    callbackTimeoutSeconds: 60,
    ...options.simulator,
  });
  onEnd(simulator.stop);
  for (const line of privatePem(merchantPair()).split("\n").slice(1, -2)) world.canaries.add(line);
  const environment = await environmentOf(world, merchants, front.endpoint, simulator.url, options);
  const started: Instance[] = [];
  let aheadMilliseconds = 0;
  const start = async (name: FunctionName, changes: Record<string, string> = {}) => {
    const instance = await world.start(name, { ...environment, ...changes });
    instance.advance(aheadMilliseconds);
    started.push(instance);
    return instance;
  };
  const running = new Map<FunctionName, Promise<readonly Instance[]>>();
  /** The instances of a function, started when they are first asked for. */
  const instancesOf = async (name: FunctionName): Promise<readonly Instance[]> => {
    const isStorefront = name === "create-order" || name === "query-order";
    const count = isStorefront ? (options.instances ?? 1) : 1;
    const instances =
      running.get(name) ?? Promise.all(Array.from({ length: count }, () => start(name)));
    running.set(name, instances);
    return await instances;
  };
  const only = async (name: FunctionName) => (await instancesOf(name))[0]!;
  routes["POST /callbacks"] = () => instancesOf("receive-callback");
  routes["POST /orders"] = () => instancesOf("create-order");
  routes["GET /orders/{orderNo+}"] = () => instancesOf("query-order");
  routes["GET /payments/{paymentId}"] = () => instancesOf("query-order");
  routes["$default"] = () => instancesOf("query-order");
  const pumpInbox = async () => await pump(world, await only("process-callback"));
  const call = createCall(front.endpoint);
  return {
    world,
    merchants,
    simulator,
    /** From now on nobody listens at the service's address. */
    stopService: async () => {
      await simulator.stop();
      onEnd(await keepPort(Number(new URL(simulator.url).port)));
    },
    start,
    /** Every instance that was started. */
    started,
    /** Moves the clock of all instances, also of those that start later. */
    advance: (milliseconds: number) => {
      aheadMilliseconds += milliseconds;
      for (const instance of started) instance.advance(milliseconds);
    },
    onEnd,
    creator: () => only("create-order"),
    querier: () => only("query-order"),
    queriers: () => instancesOf("query-order"),
    receiver: () => only("receive-callback"),
    processor: () => only("process-callback"),
    reconciler: () => only("reconcile-orders"),
    /** From now on another instance answers, as after a crash. */
    replace: async (name: FunctionName) => {
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
    call,
    /** Everything that is in the inbox goes its way. */
    pump: pumpInbox,
    order: async (orderNo: string) => await orderItem(world, orderNo),
    payment: async (paymentId: string) => await paymentItem(world, paymentId),
    /** The consumer pays, the service tells, and all of it is processed. */
    pay: async (paymentId: string) => {
      simulator.pay(paymentId);
      await simulator.settled();
      simulator.jumpClock(2);
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

function inconsistentReads(instances: readonly Instance[]): readonly Call[] {
  const reads = instances.flatMap(({ faults }) => faults.calls.filter(to("dynamodb", "GetItem")));
  return reads.filter(({ input }) => input["ConsistentRead"] !== true);
}
