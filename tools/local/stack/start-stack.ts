import { setTimeout as wait } from "node:timers/promises";
import { type MetricFilter, readMetricFilters } from "../alarms/metric-filters.ts";
import { readAlarms } from "../alarms/read-alarms.ts";
import type { NamedAlarm } from "../alarms/watch-alarms.ts";
import {
  type AwsClients,
  createAwsClients,
  localCredentials,
  type ServiceEndpoints,
} from "../aws/aws-clients.ts";
import { createStackClock, type StackClock } from "../clock/stack-clock.ts";
import { addPoller, type Guard } from "../permissions/guard.ts";
import { readPermissions } from "../permissions/read-permissions.ts";
import { readFunction } from "./functions/read-function.ts";
import {
  createFunctionFinder,
  type RunningFunction,
  reloadOnChange,
  runFunction,
} from "./functions/run-function.ts";
import type { StackLog } from "./functions/stack-event.ts";
import { readHttpApi } from "./http/http-api.ts";
import { serveHttpApi } from "./http/serve-http-api.ts";
import {
  type MadeQueue,
  type MadeTable,
  makeQueues,
  makeTables,
} from "./stores/make-data-stores.ts";
import { type MadeSecret, makeSecrets } from "./stores/make-secrets.ts";
import { createStackContext, type StackContext } from "./template/stack-context.ts";
import { readTemplate } from "./template/template.ts";
import { pollQueue } from "./triggers/poll-queue.ts";
import { readSources } from "./triggers/read-sources.ts";
import { type RunningSchedule, startSchedules } from "./triggers/tick-schedule.ts";

export interface StackOptions {
  /** The synthesized CloudFormation template, as JSON. */
  readonly template: unknown;
  readonly emulators: ServiceEndpoints;
  /** Where the functions reach the services. Default: the emulators. */
  readonly functionEndpoints?: ServiceEndpoints;
  /** The port of the HTTP API. 0 uses any free port. */
  readonly port: number;
  /** Receives the permissions of the template. */
  readonly guard?: Guard;
  readonly log: StackLog;
  /** The clock of the functions and schedules. Default: real time. */
  readonly clock?: StackClock;
  readonly stackName?: string;
  /** The local address for each origin. The functions' environment gets the local one. */
  readonly origins?: Readonly<Record<string, string>>;
  /** Environment variables of a function that differ from the template on this machine. */
  readonly localVariables?: (
    environment: Readonly<Record<string, string>>,
  ) => Readonly<Record<string, string>>;
  /** Keeps the tables of an earlier start. */
  readonly keepData?: boolean;
  /** Reloads a function when its bundle changes. */
  readonly watch?: boolean;
}

export interface RunningStack {
  /** The address of the HTTP API. */
  readonly api: string;
  readonly queues: readonly MadeQueue[];
  readonly tables: readonly MadeTable[];
  readonly secrets: readonly MadeSecret[];
  readonly functions: readonly RunningFunction[];
  readonly schedules: readonly RunningSchedule[];
  /** The alarms of the template. */
  readonly alarms: readonly NamedAlarm[];
  /** The metric filters of the template, on the access log. */
  readonly metricFilters: readonly MetricFilter[];
  /** The queues that feed functions. */
  readonly sourceUrls: readonly string[];
  /** Until then the HTTP API returns 503. */
  open(): void;
  /** While it is on, every request gets a 429, as if other APIs used up the limit of the account. */
  throttle(isOn: boolean): void;
  /** Batches and schedules in progress may continue for this long. */
  stop(graceMilliseconds?: number): Promise<void>;
}

interface Stoppable {
  stop(graceMilliseconds: number): Promise<void>;
}

const defaultGraceMilliseconds = 1_200;

/** Creates the template's tables, queues and secrets in the emulators, runs its functions and connects them. */
export async function startStack(options: StackOptions): Promise<RunningStack> {
  const aws = createAwsClients(options.emulators);
  const started: Stoppable[] = [{ stop: async () => aws.destroy() }];
  const stop = async (graceMilliseconds = defaultGraceMilliseconds) => {
    for (const part of started.splice(0).reverse()) await part.stop(graceMilliseconds);
  };
  try {
    return { ...(await startParts(options, aws, started)), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Each part is added to `started` as soon as it runs. Parts are stopped in reverse order. */
async function startParts(options: StackOptions, aws: AwsClients, started: Stoppable[]) {
  const { log, stackName = "Paycast", clock = createStackClock() } = options;
  const template = readTemplate(options.template);
  const http = await serveHttpApi({ port: options.port, log, now: clock.now });
  started.push(http);
  const context = createStackContext({
    template,
    stackName,
    sqsEndpoint: options.emulators.sqs,
    apiEndpoint: http.endpoint,
  });
  const stores = await makeStores(context, aws, options);
  options.guard?.enforce(readPermissions(context));
  const rewrite = createRewrite(ownOrigins(context, options, http.endpoint));
  const functions = runFunctions(context, { ...options, clock }, rewrite, started);
  const findFunction = createFunctionFinder(functions);
  const httpApi = readHttpApi(context, findFunction);
  const sources = readSources(context, stores.queues, findFunction);
  const schedules = startSchedules(context, findFunction, clock, log);
  const triggers = [
    ...sources.map(({ trigger, running }) => {
      const accessKeyId = addPoller(options.guard, running.definition.name);
      const credentials = { ...localCredentials, accessKeyId };
      const own = createAwsClients(options.emulators, credentials);
      started.push({ stop: async () => own.destroy() });
      return pollQueue(own.sqs, trigger, running, log);
    }),
    ...schedules,
  ];
  started.push({ stop: (graceMilliseconds) => stopWithin(graceMilliseconds, triggers) });
  started.push({ stop: async () => http.close() });
  const open = () => http.open(httpApi);
  const sourceUrls = sources.map(({ trigger }) => trigger.queueUrl);
  const alarms = readAlarms(context);
  const metricFilters = readMetricFilters(context, httpApi.accessLog);
  const watched = { alarms, metricFilters };
  const made = { ...stores, functions, schedules, ...watched, sourceUrls };
  return { api: http.endpoint, ...made, open, throttle: http.throttle };
}

/** Secrets first: Secrets Manager chooses their ARNs, and other resources refer to them. */
async function makeStores(context: StackContext, aws: AwsClients, options: StackOptions) {
  const secrets = await makeSecrets(context, aws);
  const [queues, tables] = await Promise.all([
    makeQueues(context, aws),
    makeTables(context, aws, options.keepData ?? false),
  ]);
  return { secrets, queues, tables };
}

/** The local address for each origin that the template names: a custom domain, the payment service. */
function ownOrigins(context: StackContext, options: StackOptions, apiEndpoint: string) {
  const domains = context
    .declared("AWS::ApiGatewayV2::DomainName")
    .map(({ resource }) => [`https://${resource.Properties["DomainName"]}`, apiEndpoint]);
  return { ...Object.fromEntries(domains), ...options.origins };
}

/** A function that called an address of the template would leave this machine. */
function createRewrite(origins: Readonly<Record<string, string>>): (text: string) => string {
  return (text) =>
    Object.entries(origins).reduce(
      (rewritten, [origin, local]) => rewritten.replace(exactly(origin), local),
      text,
    );
}

/** Matches the origin itself and not a longer host name or port that starts the same way. */
function exactly(origin: string): RegExp {
  return new RegExp(`${origin.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}(?![\\w.:-])`, "g");
}

function runFunctions(
  context: StackContext,
  options: StackOptions & { readonly clock: StackClock },
  rewrite: (text: string) => string,
  started: Stoppable[],
): RunningFunction[] {
  return context.declared("AWS::Lambda::Function").map((declared) => {
    const inTemplate = readFunction(context, declared);
    const variables = Object.entries(inTemplate.environment);
    const environment = Object.fromEntries(
      variables.map(([name, value]) => [name, rewrite(value)]),
    );
    const definition = {
      ...inTemplate,
      environment: { ...environment, ...options.localVariables?.(environment) },
    };
    const endpoints = options.functionEndpoints ?? options.emulators;
    const running = runFunction(definition, endpoints, options.clock, options.log);
    started.push(running);
    if (options.watch) {
      const stopWatching = reloadOnChange(running, options.log);
      started.push({ stop: async () => stopWatching() });
    }
    return running;
  });
}

async function stopWithin(limitMilliseconds: number, parts: readonly Stoppable[]): Promise<void> {
  const limit = new AbortController();
  const stopping = Promise.all(parts.map((part) => part.stop(limitMilliseconds)));
  await Promise.race([stopping, wait(limitMilliseconds, undefined, { signal: limit.signal })]);
  limit.abort();
}
