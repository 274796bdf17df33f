import { randomUUID } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";
import { transformSync } from "esbuild";
import type { FunctionDefinition } from "./read-function.ts";

/** After a failure, such as a timeout, the messages of a queue stay there (triggers/poll-queue.ts). */
export type InvocationResult =
  | { readonly ok: true; readonly json: string }
  | { readonly ok: false; readonly reason: string };

/**
 * One instance of a function, with one event at a time. It is a worker thread and not a process, because a thread
 * starts faster, can be stopped inside an endless loop, and never runs longer than this process.
 */
export interface FunctionInstance {
  invoke(event: unknown): Promise<InvocationResult>;
  /** Whether it can take another event. False after a crash, a timeout or a stop. */
  isAlive(): boolean;
  stop(): Promise<void>;
}

interface InstanceOptions {
  readonly definition: FunctionDefinition;
  readonly environment: Readonly<Record<string, string>>;
  /** How far the stack's clock is ahead of this machine's, in milliseconds. */
  readonly ahead: Float64Array<SharedArrayBuffer>;
  onOutput(line: string): void;
}

const workerUrl = new URL(
  `data:text/javascript,${encodeURIComponent(
    transformSync(readFileSync(new URL("function-worker.ts", import.meta.url), "utf8"), {
      loader: "ts",
      format: "esm",
    }).code,
  )}`,
);

export function startInstance(options: InstanceOptions): FunctionInstance {
  const { definition } = options;
  const worker = new Worker(workerUrl, {
    workerData: workerSettings(definition, options.ahead),
    env: { ...options.environment },
    execArgv: [],
    stdout: true,
    stderr: true,
    resourceLimits: {
      maxOldGenerationSizeMb: definition.memoryMegabytes,
      stackSizeMb: lambdaStackMegabytes,
    },
  });
  let alive = true;
  for (const stream of [worker.stdout, worker.stderr]) {
    createInterface({ input: stream }).on("line", options.onOutput);
  }
  const ready = waitForStart(worker);
  // It may also crash between two events, when nothing waits for a result.
  worker.on("error", (error) => options.onOutput(error.stack ?? error.message));
  worker.once("exit", () => {
    alive = false;
  });
  const stop = async () => {
    alive = false;
    await worker.terminate();
  };
  const invoke = async (event: unknown): Promise<InvocationResult> => {
    const failure = await ready;
    const result = failure ?? (await handOver(worker, event, definition.timeoutSeconds));
    if (result.lost) await stop();
    return result.outcome;
  };
  return { invoke, isAlive: () => alive, stop };
}

interface Ended {
  readonly outcome: InvocationResult;
  /** The worker cannot take another event. */
  readonly lost: boolean;
}

/** Resolves to undefined when the bundle is loaded, otherwise to the failure. */
function waitForStart(worker: Worker): Promise<Ended | undefined> {
  return new Promise((resolve) => {
    worker.once("message", (message: FromWorker) => {
      const isFailure = message.kind === "init-failed";
      resolve(isFailure ? lost(`could not be loaded: ${describe(message)}`) : undefined);
    });
    worker.once("error", (error) => resolve(lost(`could not be loaded: ${error.message}`)));
    worker.once("exit", (code) => resolve(lost(`exited with ${code} while loading`)));
  });
}

function handOver(worker: Worker, event: unknown, timeoutSeconds: number): Promise<Ended> {
  return new Promise((resolve) => {
    const settle = (ended: Ended) => {
      clearTimeout(timer);
      worker.off("message", onMessage);
      worker.off("error", onError);
      worker.off("exit", onExit);
      resolve(ended);
    };
    const onMessage = (message: FromWorker) => settle(readAnswer(message));
    const onError = (error: Error) => settle(lost(`crashed: ${error.message}`));
    const onExit = (code: number) =>
      settle(lost(`exited with ${code} before it returned a result`));
    const timer = setTimeout(() => {
      settle(lost(`timed out after ${timeoutSeconds} seconds`));
    }, timeoutSeconds * 1_000);
    worker.on("message", onMessage).on("error", onError).on("exit", onExit);
    const message: ToWorker = {
      eventJson: JSON.stringify(event),
      requestId: randomUUID(),
      timeoutMilliseconds: timeoutSeconds * 1_000,
    };
    worker.postMessage(message);
  });
}

function readAnswer(message: FromWorker): Ended {
  if (message.kind === "result") {
    return { outcome: { ok: true, json: message.resultJson }, lost: false };
  }
  if (message.kind === "error") {
    return { outcome: { ok: false, reason: `threw ${describe(message)}` }, lost: false };
  }
  return lost(`sent ${message.kind} instead of a result`);
}

function lost(reason: string): Ended {
  return { outcome: { ok: false, reason }, lost: true };
}

function describe(failure: { errorType: string; errorMessage: string; stack: string }): string {
  return failure.stack || `${failure.errorType}: ${failure.errorMessage}`;
}

function workerSettings(
  definition: FunctionDefinition,
  ahead: InstanceOptions["ahead"],
): WorkerSettings {
  const split = definition.handler.lastIndexOf(".");
  const base = join(definition.codeDirectory, definition.handler.slice(0, split));
  const extension = [".mjs", ".js", ".cjs"].find((candidate) => existsSync(base + candidate));
  return {
    moduleUrl: pathToFileURL(base + (extension ?? ".mjs")).href,
    exportName: definition.handler.slice(split + 1),
    ahead,
    context: {
      functionName: definition.name,
      functionVersion: "$LATEST",
      invokedFunctionArn: definition.arn,
      memoryLimitInMB: String(definition.memoryMegabytes),
      logGroupName: `/aws/lambda/${definition.name}`,
      logStreamName: "local",
    },
  };
}

/** The stack of Node's main thread, on which Lambda runs a function: V8's --stack-size, which is smaller on ARM. */
const mainThreadKilobytes = process.arch.startsWith("arm") ? 864 : 984;
/** The part of a worker's stack that Node needs itself. */
const keptByNodeKilobytes = 192;

/**
 * The `stackSizeMb` that gives a worker the same stack as Lambda's main thread. A worker's default is four times as
 * large: a deeply nested input would work here and crash in AWS.
 */
export const lambdaStackMegabytes = (mainThreadKilobytes + keptByNodeKilobytes) / 1024;

/** The settings that a function's worker gets at its start. */
export interface WorkerSettings {
  readonly moduleUrl: string;
  readonly exportName: string;
  /** How far the stack's clock is ahead of this machine's, in milliseconds. It changes when the clock jumps. */
  readonly ahead: Float64Array<SharedArrayBuffer>;
  /** The parts of Lambda's context object that are the same for each event. */
  readonly context: Readonly<Record<string, string>>;
}

export interface ToWorker {
  readonly eventJson: string;
  readonly requestId: string;
  readonly timeoutMilliseconds: number;
}

interface Failure {
  readonly errorType: string;
  readonly errorMessage: string;
  readonly stack: string;
}

export type FromWorker =
  | { readonly kind: "ready" }
  | ({ readonly kind: "init-failed" } & Failure)
  | { readonly kind: "result"; readonly resultJson: string }
  | ({ readonly kind: "error" } & Failure);
