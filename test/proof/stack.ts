import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseConfig } from "../../infra/config/config-schema.ts";
import {
  type AwsClients,
  createAwsClients,
  type ServiceEndpoints,
} from "../../tools/local/aws/aws-clients.ts";
import { startEmulators } from "../../tools/local/aws/start-emulators.ts";
import { expireItems } from "../../tools/local/clock/expire-items.ts";
import { createStackClock, inOneStep } from "../../tools/local/clock/stack-clock.ts";
import { describeStack, writeDescription } from "../../tools/local/describe-stack.ts";
import { storeMerchantKeys } from "../../tools/local/payment-service.ts";
import { addPoller, createGuard, type Guard } from "../../tools/local/permissions/guard.ts";
import { readPermissions } from "../../tools/local/permissions/read-permissions.ts";
import type { StackLog } from "../../tools/local/stack/functions/stack-event.ts";
import { startStack } from "../../tools/local/stack/start-stack.ts";
import { makeSecrets } from "../../tools/local/stack/stores/make-secrets.ts";
import { createStackContext } from "../../tools/local/stack/template/stack-context.ts";
import { readTemplate } from "../../tools/local/stack/template/template.ts";
import { synthesizeTemplate } from "../../tools/local/synthesize-template.ts";
import { loadOrMakeKeys } from "../../tools/simulator/merchants/keys-folder.ts";
import { everywhere, startFaultProxy } from "../integration/fault-proxy.ts";

/** The address that the config names. The functions call the simulator instead. */
const gateway = "https://payments.example.com";

/** What a stack is started with, in a form that another process can read. */
export interface StackSettings {
  readonly template: unknown;
  readonly emulators: ServiceEndpoints;
  readonly functionEndpoints: ServiceEndpoints;
  readonly port: number;
  readonly simulator: string;
  readonly merchantIds: readonly string[];
  readonly directory: string;
  /** How far the stack's clock is ahead of this machine's. */
  readonly aheadMilliseconds?: number;
}

export interface StackConfig {
  readonly merchantIds: readonly string[];
  readonly subscribers: readonly object[];
  /** Whether the proxy serves a whole stack under load: then it keeps no calls. */
  readonly isBusy?: boolean;
  /** The clock of the emulators. Without it, this machine's. */
  readonly now?: () => number;
}

/** What outlives a stack, as AWS would: emulators, a proxy in front of them, and a folder with the merchants' keys. */
export async function prepareStack({ merchantIds, subscribers, isBusy = false, now }: StackConfig) {
  const directory = mkdtempSync(join(tmpdir(), "paycast-proof-"));
  const config = parseConfig({
    merchants: merchantIds,
    subscribers,
    gateway: { baseUrl: gateway },
    storefront: { access: "open", redirectOrigins: ["https://shop.example"] },
  });
  const guard = createGuard();
  const [template, merchants, { stop: stopEmulators, queues, ...emulators }] = await Promise.all([
    synthesizeTemplate(config, directory),
    loadOrMakeKeys(keysFolder(directory), merchantIds, undefined),
    startEmulators({ guard, ...(now && { now }) }),
  ]);
  const aws = createAwsClients(emulators);
  await enforceRoles(guard, template, aws, emulators.sqs);
  const proxy = await startFaultProxy(emulators, () => {}, { isBusy });
  const functionEndpoints = everywhere(proxy.endpoint);
  const settings = { template, emulators, functionEndpoints, merchantIds, directory };
  const stop = async () => {
    await proxy.stop();
    aws.destroy();
    await stopEmulators();
    rmSync(directory, { recursive: true, force: true });
    const denied = guard.denials().map(({ message }) => message);
    if (denied.length > 0) throw new Error(`A function lacks a permission. ${denied.join("\n")}`);
  };
  return { merchants, aws, proxy, queues, settings, stop };
}

/** Here and not where the stack is started: the emulators are in this process, the stack may be in another one. */
async function enforceRoles(
  guard: Guard,
  template: unknown,
  aws: AwsClients,
  sqsEndpoint: string,
): Promise<void> {
  const context = createStackContext({
    template: readTemplate(template),
    stackName: "Paycast",
    sqsEndpoint,
    apiEndpoint: "http://127.0.0.1",
  });
  // The stack finds them later: only Secrets Manager knows their ARNs, which the roles name.
  await makeSecrets(context, aws);
  guard.enforce(readPermissions(context));
  for (const { name } of guard.principals()) addPoller(guard, name);
}

/** The merchants' keys, as the secrets have them. */
export function keysFolder(directory: string): string {
  return join(directory, "keys");
}

/** Starts a stack on what the emulators have, and describes it to `npx paycast`. */
export async function runStack(
  settings: StackSettings,
  log: StackLog,
  moved: (milliseconds: number) => void = () => {},
) {
  const { emulators, simulator, merchantIds, directory, aheadMilliseconds = 0 } = settings;
  const clock = createStackClock(aheadMilliseconds, Date.now, inOneStep);
  // Before the schedules: those who share the clock are notified before they run.
  clock.add({ untilNextMilliseconds: () => Number.POSITIVE_INFINITY, moved, isQuiet: () => true });
  const stack = await startStack({
    template: settings.template,
    emulators,
    functionEndpoints: settings.functionEndpoints,
    port: settings.port,
    keepData: true,
    clock,
    origins: { [gateway]: simulator },
    log,
  });
  const addresses = { gateway: simulator, console: simulator, shop: simulator, merchantIds };
  const description = { ...describeStack(stack, emulators, addresses), aheadMilliseconds };
  writeDescription(directory, description);
  const { secretsmanager, destroy } = createAwsClients(emulators);
  await storeMerchantKeys(secretsmanager, description.merchants, keysFolder(directory), () => {});
  destroy();
  stack.open();
  /** Moves the clock in one step: schedules run once, and what has expired is deleted. */
  const jump = async (milliseconds: number) => {
    await clock.jump(milliseconds);
    const aws = createAwsClients(emulators);
    await expireItems(aws.dynamodb, stack.tables, clock.now());
    aws.destroy();
    writeDescription(directory, { ...description, aheadMilliseconds: clock.aheadMilliseconds() });
  };
  return { stack, description, jump };
}

/** A schedule would call AWS while something else is counted or recorded. */
export function withoutSchedules(template: unknown): unknown {
  const { Resources, ...rest } = template as { Resources: Record<string, { Type: string }> };
  const kept = Object.entries(Resources).filter(([, { Type }]) => Type !== "AWS::Events::Rule");
  return { ...rest, Resources: Object.fromEntries(kept) };
}
