import { watch } from "node:fs";
import { localCredentials, type ServiceEndpoints } from "../../aws/aws-clients.ts";
import { localRegion } from "../../aws/local-account.ts";
import type { StackClock } from "../../clock/stack-clock.ts";
import { found } from "../template/template.ts";
import {
  type FunctionInstance,
  type InvocationResult,
  startInstance,
} from "./function-instance.ts";
import type { FunctionDefinition } from "./read-function.ts";
import type { StackLog } from "./stack-event.ts";

export interface RunningFunction {
  readonly definition: FunctionDefinition;
  /**
   * Waits for an instance if all are busy, where Lambda would throttle. If `isAwaited` is false by then, the event is
   * throttled after all.
   */
  invoke(event: unknown, isAwaited?: () => boolean): Promise<InvocationResult>;
  /** The next event runs on newly loaded code. Events in progress finish on the old code. */
  reload(): void;
  /** Kills one instance in the middle of its work, as if its machine had failed. */
  crash(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Runs a function like Lambda: one instance for each event at the same time, up to a limit, kept for later events. An
 * instance (function-instance.ts, with the time limit) is a worker thread with this environment; in it
 * function-worker.ts calls the handler.
 */
export function runFunction(
  definition: FunctionDefinition,
  endpoints: ServiceEndpoints,
  clock: StackClock,
  log: StackLog,
): RunningFunction {
  const { label: functionName } = definition;
  const environment = functionEnvironment(definition, endpoints);
  const onOutput = (line: string) => log({ kind: "output", functionName, line });
  const pool = new InstancePool(
    () => startInstance({ definition, environment, ahead: clock.ahead, onOutput }),
    definition.maxInstances,
  );
  let stopped = false;
  const invoke = async (event: unknown, isAwaited = () => true): Promise<InvocationResult> => {
    if (stopped) return { ok: false, reason: "the stack is stopping" };
    if (definition.isConcurrencyReserved && pool.isFull()) {
      return throttle("all of its reserved concurrency is in use");
    }
    const result = await clock.runFunction(() =>
      pool.use(async (instance) => (isAwaited() ? await instance.invoke(event) : undefined)),
    );
    if (result === undefined) return throttle("all of its instances were in use for too long");
    if (stopped) return result;
    if (!result.ok) log({ kind: "failure", functionName, reason: result.reason });
    log({ kind: "invoked", functionName, outcome: result.ok ? "done" : "failed" });
    return result;
  };
  const throttle = (reason: string): InvocationResult => {
    log({ kind: "invoked", functionName, outcome: "throttled" });
    return { ok: false, reason };
  };
  const stop = async () => {
    stopped = true;
    await pool.stop();
  };
  return { definition, invoke, reload: () => pool.renew(), crash: () => pool.crashOne(), stop };
}

/** Reloads the function when its bundle changes. Returns a function that stops watching. */
export function reloadOnChange(running: RunningFunction, log: StackLog): () => void {
  let timer: NodeJS.Timeout | undefined;
  const watcher = watch(running.definition.codeDirectory, () => {
    // A bundle is written in several steps, so wait for the last one.
    clearTimeout(timer);
    timer = setTimeout(() => {
      running.reload();
      log({ kind: "reload", functionName: running.definition.label });
    }, 50);
  });
  return () => {
    clearTimeout(timer);
    watcher.close();
  };
}

/** Lambda's own variables, the template's variables, and the addresses of the emulators. */
function functionEnvironment(definition: FunctionDefinition, endpoints: ServiceEndpoints) {
  return {
    AWS_REGION: localRegion,
    AWS_DEFAULT_REGION: localRegion,
    // Names the role under which the function runs (tools/local/permissions).
    AWS_ACCESS_KEY_ID: definition.name,
    AWS_SECRET_ACCESS_KEY: localCredentials.secretAccessKey,
    AWS_EXECUTION_ENV: "AWS_Lambda_nodejs",
    AWS_LAMBDA_FUNCTION_NAME: definition.name,
    AWS_LAMBDA_FUNCTION_VERSION: "$LATEST",
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(definition.memoryMegabytes),
    AWS_LAMBDA_INITIALIZATION_TYPE: "on-demand",
    AWS_LAMBDA_LOG_GROUP_NAME: `/aws/lambda/${definition.name}`,
    AWS_LAMBDA_LOG_STREAM_NAME: "local",
    LAMBDA_TASK_ROOT: definition.codeDirectory,
    _HANDLER: definition.handler,
    TZ: "UTC",
    LANG: "en_US.UTF-8",
    // The SDK warns about the Node version of this machine. The deployed functions run on a newer one.
    AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: "true",
    ...definition.environment,
    AWS_ENDPOINT_URL_SQS: endpoints.sqs,
    AWS_ENDPOINT_URL_DYNAMODB: endpoints.dynamodb,
    AWS_ENDPOINT_URL_SECRETS_MANAGER: endpoints.secretsmanager,
  };
}

/** The instances of one function. An instance is reused for later events; there are never more than `maxInstances`. */
class InstancePool {
  readonly #start: () => FunctionInstance;
  readonly #all = new Set<FunctionInstance>();
  /** The instances with the newest code. */
  readonly #current = new Set<FunctionInstance>();
  readonly #idle = new Set<FunctionInstance>();
  readonly #waiting: (() => void)[] = [];
  #freeSlots: number;

  constructor(start: () => FunctionInstance, maxInstances: number) {
    this.#start = start;
    this.#freeSlots = maxInstances;
  }

  /** Returns a free instance, starts one if the limit allows it, or waits. */
  async use<Result>(work: (instance: FunctionInstance) => Promise<Result>): Promise<Result> {
    if (this.#freeSlots > 0) this.#freeSlots -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    const instance = this.#take();
    try {
      return await work(instance);
    } finally {
      this.#giveBack(instance);
    }
  }

  isFull(): boolean {
    return this.#freeSlots === 0;
  }

  /** Existing instances are not reused. */
  renew(): void {
    for (const instance of this.#idle) void this.#discard(instance);
    this.#current.clear();
  }

  /** Kills one busy instance, if there is one. */
  async crashOne(): Promise<void> {
    const [busy] = [...this.#all].filter((instance) => !this.#idle.has(instance));
    await busy?.stop();
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#all].map((instance) => this.#discard(instance)));
  }

  #take(): FunctionInstance {
    for (const instance of this.#idle) {
      this.#idle.delete(instance);
      if (instance.isAlive()) return instance;
      void this.#discard(instance);
    }
    const started = this.#start();
    this.#all.add(started);
    this.#current.add(started);
    return started;
  }

  #giveBack(instance: FunctionInstance): void {
    if (this.#current.has(instance) && instance.isAlive()) this.#idle.add(instance);
    else void this.#discard(instance);
    // The place goes directly to the event that waited longest, so that a new event cannot take it first.
    const next = this.#waiting.shift();
    if (next === undefined) this.#freeSlots += 1;
    else next();
  }

  async #discard(instance: FunctionInstance): Promise<void> {
    for (const set of [this.#all, this.#current, this.#idle]) set.delete(instance);
    await instance.stop();
  }
}

/** Finds a function by the template's reference to it. `wantedBy` is the resource that refers to it, for the error. */
export type FunctionFinder = (reference: string, wantedBy: string) => RunningFunction;

export function createFunctionFinder(functions: readonly RunningFunction[]): FunctionFinder {
  return (reference, wantedBy) => {
    const called = functions.find(
      ({ definition: { name, arn } }) =>
        reference === name || reference === arn || reference.endsWith(`/${arn}/invocations`),
    );
    return found(called, `${wantedBy} calls ${reference}, which the template does not have.`);
  };
}
