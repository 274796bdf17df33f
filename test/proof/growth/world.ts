import { join } from "node:path";
import { consoleRoutes } from "../../../console/routes/console-routes.ts";
import { createJobs } from "../../../console/server/jobs.ts";
import { findRoute } from "../../../console/server/route.ts";
import { parseConfig } from "../../../infra/config/config-schema.ts";
import { createAwsClients } from "../../../local/aws/aws-clients.ts";
import { startEmulators } from "../../../local/aws/start-emulators.ts";
import { describeStack, writeDescription } from "../../../local/describe-stack.ts";
import { startStack } from "../../../local/stack/start-stack.ts";
import { storeMerchantKeys } from "../../../local/store-keys.ts";
import { synthesizeTemplate } from "../../../local/synthesize-template.ts";
import { findLocalTarget } from "../../../operations/target/local-target.ts";
import { createMetrics } from "../../../operations/telemetry/read-metrics.ts";
import { loadOrMakeKeys } from "../../../simulator/merchants/keys-folder.ts";
import { startSimulator } from "../../../simulator/start-simulator.ts";
import { type Call, everywhere, startFaultProxy } from "../../integration/fault-proxy.ts";

const gateway = "https://payments.example.com";
export const merchantId = "GrowthShop";

export type World = Awaited<ReturnType<typeof startWorld>>;

/**
 * The stack as it is deployed, without its schedules: they would call AWS while something else is counted. Functions
 * and operators reach AWS through a proxy that counts.
 */
export async function startWorld(directory: string, subscriberCount: number) {
  const subscribers = Array.from({ length: subscriberCount }, (_, index) => ({
    name: `team-${index}`,
    types: ["*"],
  }));
  const config = parseConfig({
    ...{ merchants: [merchantId], subscribers, gateway: { baseUrl: gateway } },
    storefront: { access: "open" },
  });
  const keysFolder = join(directory, "keys");
  const { template, assetDirectory } = await synthesizeTemplate(config, directory);
  const merchants = await loadOrMakeKeys(keysFolder, config.merchants, undefined);
  const emulators = await startEmulators({ dataDirectory: join(directory, "data") });
  const aws = createAwsClients(emulators);
  const proxy = await startFaultProxy(emulators, () => {});
  proxy.meter();
  const counted = { ...everywhere(proxy.endpoint), stop: emulators.stop };
  let processed = 0;
  let paidOrderNo = "";
  const simulator = await startSimulator({ merchants, clockSpeed: 0, callbackTimeoutSeconds: 60 });
  const stack = await startStack({
    ...{ template: withoutSchedules(template), assetDirectory, port: 0 },
    ...{ emulators, functionEndpoints: counted, origins: { [gateway]: simulator.url } },
    log: (event) => {
      if (event.kind === "batch") processed += event.messages;
      if (event.kind === "failure") throw new Error(`${event.functionName}: ${event.reason}`);
    },
  });
  const addresses = { gateway: simulator.url, console: "", shop: "", merchantIds: [merchantId] };
  const description = describeStack(stack, counted, addresses);
  writeDescription(directory, description);
  await storeMerchantKeys(aws.secretsmanager, description.merchants, keysFolder, () => {});
  stack.open();
  const target = await findLocalTarget(directory, Date.now);
  return {
    ...{ directory, aws, simulator, target, api: stack.api, calls: proxy.calls },
    /** Does something at the service, and waits until so many messages of the inbox were processed. */
    processing: async (messages: number, work: () => unknown) => {
      const wanted = processed + messages;
      work();
      await simulator.settled();
      while (processed < wanted) await new Promise((done) => setTimeout(done, 20));
    },
    /** An order that commands and views can ask for. */
    paidOrderNo: () => paidOrderNo,
    notePaid: (orderNo: string) => {
      paidOrderNo = orderNo;
    },
    /** One call of a function, as its schedule would make it. */
    invoke: async (label: string) => {
      const found = stack.functions.find(({ definition }) => definition.label === label);
      return await found?.invoke({});
    },
    /** A console that was just started: nothing is remembered. */
    openConsole: () => {
      const metrics = createMetrics(target);
      const desk = { target: async () => target, metrics: async () => metrics, canChange: true };
      const jobs = createJobs(() => {});
      const rest = { isLive: false, lab: undefined, jobs, changed: () => {} };
      return consoleGet(consoleRoutes({ ...desk, ...rest }));
    },
    stop: async () => {
      target.clients.destroy();
      await stack.stop();
      await simulator.stop();
      await proxy.stop();
      aws.destroy();
      await emulators.stop();
    },
  };
}

function withoutSchedules(template: unknown): unknown {
  const { Resources, ...rest } = template as { Resources: Record<string, { Type: string }> };
  const kept = Object.entries(Resources).filter(([, { Type }]) => Type !== "AWS::Events::Rule");
  return { ...rest, Resources: Object.fromEntries(kept) };
}

function consoleGet(routes: ReturnType<typeof consoleRoutes>) {
  return async (address: string): Promise<unknown> => {
    const { pathname, searchParams: query } = new URL(address, "http://console");
    const { route, parts } = findRoute(routes, "GET", pathname) ?? {};
    if (route === undefined || parts === undefined) throw new Error(`no route ${pathname}`);
    const signal = new AbortController().signal;
    return await route.handle({ parts, query, body: undefined, signal });
  };
}

/** What something did at AWS. */
export interface Usage {
  readonly calls: number;
  readonly read: number;
  readonly write: number;
}

export async function usageOf(calls: readonly Call[], work: () => Promise<unknown>) {
  const before = calls.length;
  const result = await work();
  const made = calls.slice(before);
  const units = (isWrite: boolean) =>
    made
      .filter(({ operation }) => /Write|Put|Update|Delete/.test(operation) === isWrite)
      .flatMap(({ consumed = [] }) => consumed)
      .reduce((sum, { CapacityUnits }) => sum + CapacityUnits, 0);
  const usage: Usage = { calls: made.length, read: units(false), write: units(true) };
  return { usage, result };
}
