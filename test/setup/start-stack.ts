import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startDynamodbWithoutProxy } from "../../tools/local/aws/dynamodb.ts";
import type { Listening } from "../../tools/local/aws/listen-on-loopback.ts";
import type { LocalOptions } from "../../tools/local/local-options.ts";
import { type LocalStack, type PrintAt, startLocal } from "../../tools/local/start-local.ts";
import { faultsOfStored } from "../end-to-end/stored-events.ts";
import { expectCleanLog } from "../redaction/clean-log.ts";

export interface TestStackOptions {
  /** In place of the sample config. */
  readonly config?: object;
  readonly clockSpeed: number;
  /** The folder of `npm start`, which stays. Without it, a new one that ends with the stack. */
  readonly directory?: string;
  /** Continues with the data of the last start in this folder. */
  readonly keepData?: boolean;
  /** Uses the worker's DynamoDB emulator, which keeps nothing in the folder, and not one of its own. */
  readonly sharesDynamodb?: boolean;
  /** What the terminal of `npm start` shows, with the stack's time. */
  readonly print?: PrintAt;
}

export interface TestStack extends LocalStack {
  readonly directory: string;
  /** Takes away a function's right to these actions, until the returned function is called. */
  forbid(functionName: RegExp, actions: string): () => void;
  /** Fails if the stack stored an event that breaks the contract, logged what no log line may hold, or denied a function a call. */
  stop(): Promise<void>;
}

/** The local stack in this process, as `npm start` runs it, on free ports. */
export async function startTestStack(options: TestStackOptions): Promise<TestStack> {
  const directory = options.directory ?? mkdtempSync(join(tmpdir(), "paycast-stack-"));
  const start = options.sharesDynamodb ? startOnWorkersDynamodb : startLocal;
  const stack = await start(localOptions(options, directory), options.print ?? (() => {}));
  const forbidden = new Set<string>();
  return {
    ...stack,
    directory,
    forbid: (functionName, actions) => {
      const role = stack.guard.principals().find(({ name }) => functionName.test(name));
      if (role === undefined) throw new Error(`No function is called ${functionName}`);
      forbidden.add(role.name);
      const rest = role.statements.filter(
        (statement) => !JSON.stringify(statement).includes(actions),
      );
      stack.guard.add({ ...role, statements: rest });
      return () => stack.guard.add(role);
    },
    stop: async () => {
      const faults = await faultsOfStored(stack.description);
      await stack.stop();
      expectCleanLog(directory);
      if (options.directory === undefined) rmSync(directory, { recursive: true, force: true });
      const denied = stack.guard
        .denials()
        .filter(({ principal }) => isFunction(principal) && !forbidden.has(principal));
      const wrong = [...faults, ...denied.map(({ message }) => message)];
      if (wrong.length > 0) throw new Error(wrong.join("\n"));
    },
  };
}

/** The functions have names of the stack. Operators are called by their level. */
const isFunction = (principal: string) => principal.startsWith("Paycast-");

function localOptions(
  { config, clockSpeed, keepData = false }: TestStackOptions,
  directory: string,
): LocalOptions {
  return {
    port: 0,
    gatewayPort: 0,
    consolePort: 0,
    emulatorPorts: { sqs: 0, dynamodb: 0, secretsmanager: 0 },
    clockSpeed,
    directory,
    configPath: config && writtenConfig(directory, config),
    keepData,
    watch: false,
    verbose: false,
  };
}

function writtenConfig(directory: string, config: object): string {
  const path = join(directory, "config.json");
  mkdirSync(directory, { recursive: true });
  writeFileSync(path, JSON.stringify(config));
  return path;
}

let dynamodb: Promise<Listening> | undefined;

/**
 * One DynamoDB emulator for all test files of a worker: it takes longer to start than the rest of a stack, above all under
 * QEMU. It ends with the worker. Each stack makes its tables anew.
 */
async function startOnWorkersDynamodb(options: LocalOptions, print: PrintAt): Promise<LocalStack> {
  dynamodb ??= startDynamodbWithoutProxy();
  process.env["PAYCAST_DYNAMODB_ENDPOINT"] = (await dynamodb).endpoint;
  try {
    return await startLocal(options, print);
  } finally {
    delete process.env["PAYCAST_DYNAMODB_ENDPOINT"];
  }
}
