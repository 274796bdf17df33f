import { RemovalPolicy, Stack } from "aws-cdk-lib";
import { type IKey, Key } from "aws-cdk-lib/aws-kms";
import { LogGroup, RetentionDays } from "aws-cdk-lib/aws-logs";
import type { IQueue, Queue } from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";
import { PaycastError } from "../shared/errors/paycast-error.ts";
import { acknowledgeFindings } from "./acknowledgements.ts";
import { notifyListeners } from "./alarms/notify-listeners.ts";
import { PaycastAlarm } from "./alarms/paycast-alarm.ts";
import { PaycastApi } from "./api/http-api.ts";
import type { Config } from "./config/config-schema.ts";
import type { PaycastProps } from "./config/paycast-props.ts";
import { readProps } from "./config/read-props.ts";
import { addDashboard } from "./dashboard/dashboard.ts";
import { encryptWithKey } from "./encryption/encrypt-with-key.ts";
import { KeySecrets } from "./encryption/key-secrets.ts";
import { Attention } from "./flows/attention.ts";
import { CallbackIntake } from "./flows/callback-intake.ts";
import { CallbackProcessing } from "./flows/callback-processing.ts";
import { Reconciliation } from "./flows/reconciliation.ts";
import { corsFor, StorefrontApi } from "./flows/storefront.ts";
import { builtFunctions } from "./lambda/built-functions.ts";
import { alarmOnFunctions } from "./lambda/function-alarms.ts";
import type { CodeOf } from "./lambda/paycast-function.ts";
import { addOutput, addOutputs } from "./stack-outputs.ts";
import { deleteWithStack, fixEgress, keepLogs, traceFunctions } from "./stack-settings.ts";
import { alarmOnExpiring } from "./storage/expiring-alarm.ts";
import { guardReading, guardSending, sayWhoMaySend } from "./storage/guard-queues.ts";
import { Inbox } from "./storage/inbox.ts";
import { refuseLargePolicy } from "./storage/queue-policy-size.ts";
import { Subscribers } from "./storage/subscribers.ts";
import { Records } from "./storage/tables.ts";

/**
 * Everything that Paycast runs in a merchant's account: it receives payment callbacks, keeps each order's status, and
 * sends typed events to the subscribers' queues. A stack has at most one, because operators find it by the stack's name.
 *
 * @example
 * ```ts
 * import { App, Stack } from "aws-cdk-lib";
 * import { Paycast } from "paycast";
 *
 * const stack = new Stack(new App(), "Payments");
 * const paycast = new Paycast(stack, "Paycast", {
 *   merchants: ["ShopEurope"],
 *   subscribers: [{ name: "ledger", types: ["*"] }],
 * });
 * console.log(paycast.callbackUrl);
 * ```
 */
export class Paycast extends Construct {
  /** The address to which the payment service sends its callbacks. */
  readonly callbackUrl: string;
  /** Base address of the storefront API. */
  readonly apiUrl: string;
  /** All alarms, each with its severity, for your own alarm actions. */
  readonly alarms: readonly PaycastAlarm[];
  private readonly queues: ReadonlyMap<string, IQueue>;

  constructor(scope: Construct, id: string, props: PaycastProps);
  /** @internal The repository's own app and tests set the location of the functions' code. */
  constructor(scope: Construct, id: string, props: PaycastProps, codeOf: CodeOf);
  constructor(scope: Construct, id: string, props: PaycastProps, codeOf: CodeOf = builtFunctions) {
    super(scope, id);
    rejectSecond(this);
    const config = readProps(this, props);
    const key = props.encryptionKey ?? this.importKey(config);
    const parts = makeParts(this, config, codeOf, key);
    alarmOnFunctions(this, config.merchants);
    alarmOnExpiring(this, deadLettersOf(parts));
    this.callbackUrl = parts.callbackUrl;
    this.apiUrl = parts.api.url;
    this.alarms = this.node.findAll().filter((construct) => construct instanceof PaycastAlarm);
    this.guard(config, parts);
    this.linkRunbook(config);
    if (config.dashboard) this.show(config, parts);
    notifyListeners(this, this.alarms, config.alarms, props);
    keepLogs(this, config.logRetentionDays);
    if (config.egress) fixEgress(this, config.egress);
    if (config.tracing) traceFunctions(this);
    if (key) this.encrypt(config, key);
    if (config.removalPolicy === "destroy") deleteWithStack(this);
    acknowledgeFindings(this);
    this.queues = new Map(
      parts.subscribers.queues.map(({ subscriber, queue }) => [subscriber.name, queue]),
    );
  }

  /**
   * Returns a subscriber's queue, to attach a consumer. Throws if the props have no subscriber of that name.
   *
   * @example
   * ```ts
   * import type { IFunction } from "aws-cdk-lib/aws-lambda";
   * import { SqsEventSource } from "aws-cdk-lib/aws-lambda-event-sources";
   * import type { Paycast } from "paycast";
   *
   * export function readLedger(paycast: Paycast, consumer: IFunction) {
   *   const queue = paycast.subscriberQueue("ledger");
   *   consumer.addEventSource(new SqsEventSource(queue, { reportBatchItemFailures: true }));
   * }
   * ```
   */
  subscriberQueue(name: string): IQueue {
    const queue = this.queues.get(name);
    if (queue !== undefined) return queue;
    const known = [...this.queues.keys()].join(", ");
    const message = `${this.node.path} has no subscriber "${name}". It has: ${known}.`;
    throw new PaycastError("config-invalid", message);
  }

  private guard({ operators }: Config, parts: Parts): void {
    const queues = guardedQueues(parts, operators);
    guardReading(this, parts.inbox.queue);
    if (operators.length > 0) guardSending(this, queues);
    else sayWhoMaySend(this);
    for (const { queue, fields } of queues) refuseLargePolicy(queue, fields);
  }

  private show(config: Config, { api, inbox, subscribers }: Parts): void {
    const url = addDashboard(this, this.alarms, { config, httpApi: api.api, inbox, subscribers });
    addOutput(this, "DashboardUrl", url, "Where to look when an alarm goes off");
  }

  private linkRunbook({ alarms: { runbookUrl } = {} }: Config): void {
    if (runbookUrl === undefined) return;
    for (const alarm of this.alarms) alarm.linkRunbook(runbookUrl);
  }

  private importKey({ encryptionKeyArn }: Config): IKey | undefined {
    if (encryptionKeyArn === undefined) return undefined;
    return Key.fromKeyArn(this, "EncryptionKey", encryptionKeyArn);
  }

  private encrypt({ subscribers }: Config, key: IKey): void {
    const readers = new Set(subscribers.flatMap((subscriber) => subscriber.readers));
    encryptWithKey(this, key, [...readers]);
    addOutput(this, "EncryptionKeyArn", key.keyArn, "The KMS key that encrypts stored data");
  }
}

type Parts = ReturnType<typeof makeParts>;

function makeParts(scope: Paycast, config: Config, codeOf: CodeOf, key: IKey | undefined) {
  const { gateway, storefront, concurrency } = config;
  const keys = new KeySecrets(scope, "Keys", config);
  const records = new Records(scope, "Records");
  const inbox = new Inbox(scope, "Inbox", key);
  const subscribers = new Subscribers(scope, "Subscribers", config, key);
  const cors = storefront && corsFor(storefront);
  const api = new PaycastApi(scope, "Http", { domain: config.domain, cors });
  const callbackUrl = `${api.url}/callbacks`;
  const { callbackKeys, requestKeys, stampKey } = keys;

  const receiving = { codeOf, config, callbackKeys, stampKey, inbox, api, encryptionKey: key };
  const intake = new CallbackIntake(scope, "Intake", receiving);
  const processing = { codeOf, config, stampKey, inbox, records, subscribers };
  new CallbackProcessing(scope, "Processing", processing);
  new Attention(scope, "Attention", { codeOf, records });
  if (gateway && storefront) {
    const callers = { codeOf, gateway, concurrency, requestKeys };
    const { recordExpiryDays } = config.callbacks;
    const shared = { ...callers, stampKey, records, recordExpiryDays, inbox };
    const { merchants } = config;
    const selling = { ...shared, merchants, storefront, api, callbackUrl };
    new StorefrontApi(scope, "Storefront", selling);
    new Reconciliation(scope, "Reconciliation", shared);
  }
  const auditLog = makeAuditLog(scope);
  const parts = { callbackUrl, api, inbox, records, keys, subscribers, intake, auditLog };
  addOutputs(scope, parts);
  return parts;
}

function deadLettersOf({ inbox, subscribers }: Parts): Queue[] {
  return [inbox.deadLetters, ...subscribers.queues.map(({ deadLetters }) => deadLetters)];
}

/** Every queue with the operators that may send to it, and the config fields that make its policy long. */
function guardedQueues({ inbox, subscribers, intake }: Parts, operators: readonly string[]) {
  const own = [inbox.queue, inbox.deadLetters, subscribers.smokeQueue, intake.captured];
  return [
    ...own
      .filter((queue) => queue !== undefined)
      .map((queue) => ({ queue, operators, fields: "operators" })),
    ...subscribers.queues.flatMap(({ subscriber, queue, deadLetters }) => {
      const fields = `operators, and readers and operators of subscriber ${subscriber.name},`;
      return [
        { queue, operators: [...operators, ...subscriber.operators], fields },
        { queue: deadLetters, operators, fields },
      ];
    }),
  ];
}

/** Records what operators changed. Operators write here with their own credentials; no function may. */
function makeAuditLog(scope: Construct): LogGroup {
  return new LogGroup(scope, "AuditLog", {
    retention: RetentionDays.TEN_YEARS,
    // Retained even if the first deployment fails: the policy of deployments does not let CloudFormation delete it.
    removalPolicy: RemovalPolicy.RETAIN,
  });
}

/** Two in one stack would share output names and the metrics' namespace, and could not be distinguished. */
function rejectSecond(paycast: Paycast): void {
  const stack = Stack.of(paycast);
  // Stacks nested below this one in the tree are stacks of their own.
  const others = stack.node
    .findAll()
    .filter((other) => other instanceof Paycast && other !== paycast && Stack.of(other) === stack);
  if (others.length === 0) return;
  const message = `${paycast.node.path} needs a stack of its own: ${others[0]?.node.path} is in this one.`;
  throw new PaycastError("config-invalid", message);
}
