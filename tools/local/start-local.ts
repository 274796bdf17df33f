import { rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Config } from "../../infra/config/config-schema.ts";
import { functionsOf } from "../../infra/config/function-names.ts";
import { loadConfig } from "../../infra/config/load-config.ts";
import { type Colours, createColours } from "../../shared/text/terminal-text.ts";
import type { Lab } from "../console/console-context.ts";
import { type RunningConsole, startConsole } from "../console/start-console.ts";
import { findLocalStack } from "../operations/local-stack/find-local-stack.ts";
import {
  functionLogFile,
  type LocalDescription,
} from "../operations/local-stack/local-description.ts";
import { loadOrMakeKeys } from "../simulator/merchants/keys-folder.ts";
import { startSimulator } from "../simulator/start-simulator.ts";
import { createAlarms } from "./alarms/run-alarms.ts";
import { createAwsClients } from "./aws/aws-clients.ts";
import { type Emulators, startEmulators } from "./aws/start-emulators.ts";
import { keepClock, readKeptClock } from "./clock/keep-clock.ts";
import { moveStack } from "./clock/move-stack.ts";
import { createStackClock, type StackClock } from "./clock/stack-clock.ts";
import { keptToken } from "./console-token.ts";
import {
  describeStack,
  descriptionFile,
  refuseSecondStart,
  writeDescription,
} from "./describe-stack.ts";
import { createFunctionLog } from "./function-log.ts";
import { createConsumers } from "./lab/consumers.ts";
import { createLab, watchQueues } from "./lab/create-lab.ts";
import type { LocalOptions } from "./local-options.ts";
import { besideSimulator, keysFolder, storeMerchantKeys } from "./payment-service.ts";
import { createGuard, type Guard } from "./permissions/guard.ts";
import { createOutages } from "./permissions/outages.ts";
import { refuseTakenPorts } from "./refuse-taken-ports.ts";
import { chooseShopAddress, localVariables } from "./shop-address.ts";
import type { StackLog } from "./stack/functions/stack-event.ts";
import { type RunningStack, startStack } from "./stack/start-stack.ts";
import { createStory, type Story } from "./story/create-story.ts";
import { synthesizeTemplate } from "./synthesize-template.ts";
import { buildChanged, watchSources } from "./watch-sources.ts";

export interface LocalStack {
  readonly description: LocalDescription;
  readonly config: Config;
  /** Decides who may call what. */
  readonly guard: Guard;
  /** Kills one instance of a function in the middle of its work, as if its machine had failed. */
  crash(functionName: string): Promise<void>;
  /** While it is on, API Gateway rejects every request, as if other APIs used up the limit of the account. */
  throttle(isOn: boolean): void;
  stop(): Promise<void>;
}

type Print = (line: string) => void;
/** The time is the stack's. */
export type PrintAt = (line: string, atMilliseconds: number) => void;
interface Part {
  stop(): Promise<void> | void;
}

const sourceDirectories = ["../../functions", "../../shared"].map((path) =>
  fileURLToPath(new URL(path, import.meta.url)),
);

/** How long work may continue after Ctrl-C. Everything, emulators included, must stop within two seconds. */
const graceMilliseconds = 500;

/** Starts everything. If a part cannot start, the running parts are stopped. Colours are only for a terminal. */
export async function startLocal(
  options: LocalOptions,
  printAt: PrintAt,
  colours: Colours = createColours(false),
): Promise<LocalStack> {
  const config = withoutForeignResources(loadConfig(options.configPath));
  await refuseSecondStart(options.directory);
  await refuseTakenPorts(options);
  const clock = createStackClock(keptAheadMilliseconds(options));
  const print = (line: string) => printAt(line, clock.now());
  const story = createStory({ print, colours, verbose: options.verbose });
  const parts: Part[] = [];
  const stop = async () => {
    for (const part of parts.splice(0).reverse()) await part.stop();
  };
  try {
    const { description, guard, functions, throttle } = await startParts(options, config, {
      print,
      story,
      parts,
      clock,
    });
    const crash = async (functionName: string) =>
      await functions.find(({ definition }) => definition.label === functionName)?.crash();
    return { description, config, guard, crash, throttle, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Resources of an AWS account are not used here: the stack creates its own secrets and needs no KMS key. */
function withoutForeignResources(config: Config): Config {
  return { ...config, secrets: {}, encryptionKeyArn: undefined };
}

function dataDirectoryOf({ keepData, directory }: LocalOptions): string | undefined {
  return keepData ? join(directory, "data") : undefined;
}

function keptAheadMilliseconds(options: LocalOptions): number {
  const dataDirectory = dataDirectoryOf(options);
  return dataDirectory === undefined ? 0 : readKeptClock(dataDirectory);
}

async function startParts(
  options: LocalOptions,
  config: Config,
  { print, story, parts, clock }: { print: Print; story: Story; parts: Part[]; clock: StackClock },
): Promise<
  Pick<RunningStack, "functions" | "throttle"> & Pick<LocalStack, "description" | "guard">
> {
  let description: LocalDescription | undefined;
  const { directory } = options;
  const dataDirectory = dataDirectoryOf(options);
  const { log, changes, alarms } = createStackLog(options, story, clock);
  const tell = (message: string) => log({ kind: "notice", message });
  const watch = watchQueues(() => description?.queues, clock.now, tell);
  const outages = createOutages();
  const guard = createGuard({ tell, outages });
  const emulators = await startEmulators({
    guard,
    ports: options.emulatorPorts,
    tell: print,
    queueEvents: watch,
    dataDirectory,
    now: clock.now,
  });
  parts.push(emulators);
  const [template, merchants] = await Promise.all([
    synthesizeTemplate(config, directory),
    loadOrMakeKeys(keysFolder(directory), config.merchants, undefined),
  ]);
  const aws = createAwsClients(emulators);
  parts.push({ stop: aws.destroy });
  const gateway = await startSimulator({
    port: options.gatewayPort,
    clockSpeed: options.clockSpeed,
    now: clock.now,
    jump: (milliseconds) => jump(milliseconds),
    merchants,
    exactSums: config.gateway?.exactSums,
    log: (line) => {
      story.serviceLine(line);
      changes.tell();
    },
    ...besideSimulator(options, () => description, aws.secretsmanager),
  });
  parts.push(gateway);
  const shop = await chooseShopAddress(options.port);
  const made = { emulators, template, gateway, clock, guard };
  const stack = await runStack(options, config, log, made);
  parts.push(alarms.watch(stack, emulators.queues));
  const jump = moveStack({
    clock,
    stack,
    queues: emulators.queues,
    gateway,
    dynamodb: aws.dynamodb,
    moved: (aheadMilliseconds) => {
      if (dataDirectory !== undefined) keepClock(dataDirectory, aheadMilliseconds);
      describeAgain((before) => ({ ...before, aheadMilliseconds }));
    },
  });
  const describeAgain = (change: (before: LocalDescription) => LocalDescription) => {
    description = description && change(description);
    if (description !== undefined) writeDescription(directory, description);
  };
  const consumers = createConsumers(aws.sqs, log);
  parts.push({
    stop: async () => void (await Promise.all([stack.stop(graceMilliseconds), consumers.stop()])),
  });
  const lab = createLab({
    outages,
    consumers,
    watch,
    dynamodb: aws.dynamodb,
    schedules: stack.schedules,
    aheadMilliseconds: clock.aheadMilliseconds,
    jump,
    description: () => description,
    readingChanged: (readInLab) =>
      describeAgain((before) => ({
        ...before,
        queues: { ...before.queues, readInLab: [...readInLab] },
      })),
    tell,
  });
  const console = await serveConsole(options, changes.follow, lab, clock);
  parts.push(console);
  const addresses = {
    gateway: gateway.url,
    console: console.url,
    shop,
    merchantIds: config.merchants,
  };
  description = {
    ...describeStack(stack, emulators, addresses),
    aheadMilliseconds: clock.aheadMilliseconds(),
    startedAt: new Date(clock.now()).toISOString(),
  };
  const { merchants: keyed } = description;
  await storeMerchantKeys(aws.secretsmanager, keyed, keysFolder(directory), print);
  stack.open();
  gateway.releaseClock();
  if (options.watch) {
    const build = () => buildChanged(functionsOf(config));
    parts.push(watchSources(sourceDirectories, build, print));
  }
  writeDescription(directory, description);
  parts.push({ stop: () => rmSync(descriptionFile(directory), { force: true }) });
  return { description, guard, functions: stack.functions, throttle: stack.throttle };
}

/** The listeners of stack events: the terminal, the functions' log, the alarms and the console's pages. */
function createStackLog({ directory, keepData }: LocalOptions, story: Story, clock: StackClock) {
  const listeners = new Set<() => void>();
  const changes = {
    tell: () => {
      for (const listener of listeners) listener();
    },
    follow: (listener: () => void) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
  const logFunctions = createFunctionLog(functionLogFile(directory), keepData);
  const log: StackLog = (event) => {
    story.stackEvent(event);
    logFunctions(event);
    alarms.collect(event);
    changes.tell();
  };
  const alarms = createAlarms({ directory, clock, log });
  return { log, changes, alarms };
}

async function serveConsole(
  { consolePort: port, directory }: LocalOptions,
  follow: (changed: () => void) => () => void,
  lab: Lab,
  { now }: StackClock,
): Promise<RunningConsole> {
  const findTarget = async () => ({ ...(await findLocalStack(directory)), now });
  const token = keptToken(directory);
  return await startConsole({ port, findTarget, follow, lab, token });
}

async function runStack(
  options: LocalOptions,
  config: Config,
  log: StackLog,
  made: {
    readonly emulators: Emulators;
    readonly template: unknown;
    readonly gateway: { readonly url: string };
    readonly clock: StackClock;
    readonly guard: Guard;
  },
): Promise<RunningStack> {
  return await startStack({
    template: made.template,
    emulators: made.emulators,
    port: options.port,
    clock: made.clock,
    guard: made.guard,
    // The functions call the simulator instead of the payment service in the config.
    origins: config.gateway === undefined ? {} : { [config.gateway.baseUrl]: made.gateway.url },
    localVariables,
    keepData: options.keepData,
    watch: options.watch,
    log,
  });
}
