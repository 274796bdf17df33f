import { parentPort, workerData } from "node:worker_threads";
import type { FromWorker, ToWorker, WorkerSettings } from "./function-instance.ts";

/*
 * Runs inside a worker, one for each instance of a function. It loads the bundle once and gives it one event at a time,
 * like Lambda's runtime. It runs from its source with the types removed, so it imports no other file of this project.
 */

type Handler = (event: unknown, context: object) => unknown;

const settings: WorkerSettings = workerData;
// Before the bundle loads, because it may store Date.now.
globalThis.Date = dateAheadOf(Date, settings.ahead);
const post = (message: FromWorker) => parentPort?.postMessage(message);

try {
  const handler = await loadHandler();
  parentPort?.on("message", (message: ToWorker) => void handle(handler, message));
  post({ kind: "ready" });
} catch (error) {
  post({ kind: "init-failed", ...describe(error) });
}

async function loadHandler(): Promise<Handler> {
  const loaded: Record<string, unknown> = await import(settings.moduleUrl);
  const handler = loaded[settings.exportName];
  if (isHandler(handler)) return handler;
  throw new Error(`${settings.moduleUrl} exports no function ${settings.exportName}`);
}

/** The same Date, with the stack's clock in place of this machine's. */
function dateAheadOf(real: DateConstructor, ahead: Float64Array): DateConstructor {
  const now = () => real.now() + (ahead[0] ?? 0);
  return new Proxy(real, {
    get: (target, name) => (name === "now" ? now : Reflect.get(target, name)),
    apply: () => new real(now()).toString(),
    construct: (target, given, called) =>
      Reflect.construct(target, given.length === 0 ? [now()] : given, called),
  });
}

function isHandler(value: unknown): value is Handler {
  return typeof value === "function";
}

async function handle(handler: Handler, { eventJson, requestId, timeoutMilliseconds }: ToWorker) {
  const deadlineMilliseconds = Date.now() + timeoutMilliseconds;
  process.env["_X_AMZN_TRACE_ID"] = traceId();
  const context = {
    ...settings.context,
    awsRequestId: requestId,
    callbackWaitsForEmptyEventLoop: true,
    getRemainingTimeInMillis: () => Math.max(0, deadlineMilliseconds - Date.now()),
  };
  try {
    const result = await handler(JSON.parse(eventJson), context);
    post({ kind: "result", resultJson: JSON.stringify(result) ?? "null" });
  } catch (error) {
    post({ kind: "error", ...describe(error) });
  }
}

function traceId(): string {
  const seconds = Math.floor(Date.now() / 1000).toString(16);
  const random = () =>
    Math.floor(Math.random() * 2 ** 48)
      .toString(16)
      .padStart(12, "0");
  return `Root=1-${seconds}-${random()}${random()};Parent=${random()}0000;Sampled=0`;
}

function describe(error: unknown): { errorType: string; errorMessage: string; stack: string } {
  if (!(error instanceof Error)) {
    return { errorType: typeof error, errorMessage: String(error), stack: "" };
  }
  return { errorType: error.name, errorMessage: error.message, stack: error.stack ?? "" };
}
