import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";
import { expect } from "vitest";
import { bundle } from "../../infra/lambda/bundle.ts";
import { lambdaStackMegabytes } from "../../tools/local/stack/functions/function-instance.ts";
import { expectCleanLines } from "../redaction/clean-log.ts";
import { type Endpoints, type FaultProxy, startFaultProxy } from "./fault-proxy.ts";
import { guardOf } from "./roles.ts";

export type FunctionName =
  | "receive-callback"
  | "process-callback"
  | "count-attention"
  | "create-order"
  | "query-order"
  | "reconcile-orders";

type InvokeResult =
  | { readonly kind: "returned"; readonly value: unknown }
  | { readonly kind: "threw"; readonly reason: string }
  | { readonly kind: "died" };

/** One instance of a function, as Lambda would run it: the built bundle, alone with its environment. */
export interface Instance {
  readonly faults: FaultProxy;
  /** What it has written, line by line. */
  readonly lines: readonly string[];
  invoke(event: unknown, remainingMilliseconds?: number): Promise<InvokeResult>;
  /** Moves the instance's clock. */
  advance(milliseconds: number): void;
  now(): number;
  /** Also fails if the instance has written what no log may hold, or called what its role does not allow. */
  stop(): Promise<void>;
}

const directories = new Map<FunctionName, Promise<string>>();

/** Where the function's bundle lies, built if it is not current; looked up once in a test file. */
function directoryOf(name: FunctionName): Promise<string> {
  const entry = fileURLToPath(new URL(`../../functions/${name}.ts`, import.meta.url));
  const directory = directories.get(name) ?? bundle(name, entry).then((built) => built.directory);
  directories.set(name, directory);
  return directory;
}

export async function startInstance(
  name: FunctionName,
  endpoints: Endpoints,
  environment: Readonly<Record<string, string>>,
  prepare: (faults: FaultProxy) => void = () => undefined,
): Promise<Instance> {
  const directory = await directoryOf(name);
  const guard = await guardOf(name, environment);
  const faults = await startFaultProxy(endpoints, () => void worker.terminate(), { guard });
  prepare(faults);
  const clock = new SharedArrayBuffer(8);
  const offset = new BigInt64Array(clock);
  const worker = new Worker(new URL("function-host.mjs", import.meta.url), {
    workerData: { clock, moduleUrl: pathToFileURL(join(directory, "index.mjs")).href },
    env: { ...runtimeEnvironment(name, faults.endpoint), ...environment },
    execArgv: [],
    resourceLimits: { stackSizeMb: lambdaStackMegabytes },
  });
  const lines: string[] = [];
  worker.on("message", (message: { kind: string; text?: string }) => {
    if (message.kind === "wrote") lines.push(...message.text!.trimEnd().split("\n"));
  });
  await started(worker);
  return {
    faults,
    lines,
    invoke: createInvoke(worker),
    advance: (milliseconds) => {
      Atomics.add(offset, 0, BigInt(milliseconds));
    },
    now: () => Date.now() + Number(offset[0]),
    stop: async () => {
      await worker.terminate();
      await faults.stop();
      expectCleanLines(lines);
      expect(guard.denials()).toEqual([]);
    },
  };
}

function runtimeEnvironment(name: FunctionName, endpoint: string): Record<string, string> {
  return {
    AWS_REGION: "us-east-1",
    AWS_ACCESS_KEY_ID: name,
    AWS_SECRET_ACCESS_KEY: "any",
    AWS_ENDPOINT_URL_SQS: endpoint,
    AWS_ENDPOINT_URL_DYNAMODB: endpoint,
    AWS_ENDPOINT_URL_SECRETS_MANAGER: endpoint,
    AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: "true",
    METRICS_NAMESPACE: "Paycast",
    TZ: "UTC",
  };
}

function started(worker: Worker): Promise<void> {
  return new Promise((resolve, reject) => {
    worker.on("message", ({ kind }: { kind: string }) => kind === "ready" && resolve());
    worker.once("error", reject);
  });
}

function createInvoke(worker: Worker): Instance["invoke"] {
  const waiting = new Map<number, (outcome: InvokeResult) => void>();
  let next = 0;
  let isDead = false;
  worker.on("message", ({ id, ...outcome }: { id: number } & InvokeResult) => {
    waiting.get(id)?.(outcome);
    waiting.delete(id);
  });
  worker.on("exit", () => {
    isDead = true;
    for (const settle of waiting.values()) settle({ kind: "died" });
    waiting.clear();
  });
  return (event, remainingMilliseconds = 30_000) =>
    new Promise((resolve) => {
      if (isDead) return resolve({ kind: "died" });
      next += 1;
      waiting.set(next, resolve);
      worker.postMessage({ id: next, event, remainingMilliseconds });
    });
}
