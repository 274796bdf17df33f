import { PutSecretValueCommand } from "@aws-sdk/client-secrets-manager";
import { createAwsClients } from "../../local/aws/aws-clients.ts";
import type { Emulators } from "../../local/aws/start-emulators.ts";
import { type RunningStack, startStack } from "../../local/stack/start-stack.ts";
import { makeMerchant } from "../../simulator/merchants/merchant.ts";
import { type Simulator, startSimulator } from "../../simulator/start-simulator.ts";
import { expectCleanLines } from "../redaction/clean-log.ts";
import { nameResources } from "./double/physical-names.ts";
import type { Stack } from "./double/stacks.ts";

export interface Running {
  readonly stack: RunningStack;
  /** What the functions logged. */
  readonly lines: readonly Record<string, unknown>[];
  /** Also fails if the functions have written what no log may hold. */
  stop(): Promise<void>;
}

interface Surroundings {
  readonly emulators: Emulators;
  /** The output of the CDK command, with the bundles. */
  readonly assetDirectory: string;
  /** The address of the payment service in the config, and where it really is. */
  readonly origins: Readonly<Record<string, string>>;
}

/** Runs the functions of a deployed stack on the tables, queues and secrets that the stack has. */
export async function runFunctions(
  deployed: Stack,
  surroundings: Surroundings,
  { readsInbox }: { readonly readsInbox: boolean },
): Promise<Running> {
  const ids = new Map([...deployed.resources].map(([id, { physicalId }]) => [id, physicalId]));
  const template = nameResources(deployed.template, ids, (id) => {
    throw new Error(`The stack does not have ${id}`);
  });
  const resources = Object.entries(template.Resources).filter(
    ([, { Type }]) => readsInbox || Type !== "AWS::Lambda::EventSourceMapping",
  );
  const written: string[] = [];
  const lines: Record<string, unknown>[] = [];
  const stack = await startStack({
    ...surroundings,
    port: 0,
    template: { ...template, Resources: Object.fromEntries(resources) },
    stackName: deployed.name,
    keepData: true,
    log: (event) => {
      if (event.kind !== "output") return;
      written.push(event.line);
      lines.push(readLine(event.line));
    },
  });
  stack.open();
  const stop = async () => {
    await stack.stop();
    expectCleanLines(written);
  };
  return { stack, lines, stop };
}

function readLine(line: string): Record<string, unknown> {
  return line.startsWith("{") ? JSON.parse(line) : { line };
}

/** The payment service, and the merchant's keys in the secrets of the stack. */
export async function startService(
  merchantId: string,
  deployed: Stack,
  emulators: Emulators,
): Promise<Simulator> {
  const { service, callbackKeys, requestKeys } = await makeMerchant(merchantId);
  const { secretsmanager, destroy } = createAwsClients(emulators);
  for (const [id, { physicalId }] of deployed.resources) {
    const isCallback = id.startsWith(`KeysCallbackKeys${merchantId}`);
    if (!isCallback && !id.startsWith(`KeysRequestKeys${merchantId}`)) continue;
    const SecretString = JSON.stringify(isCallback ? callbackKeys : requestKeys);
    await secretsmanager.send(new PutSecretValueCommand({ SecretId: physicalId, SecretString }));
  }
  destroy();
  return await startSimulator({ merchants: [service], clockSpeed: 100 });
}
