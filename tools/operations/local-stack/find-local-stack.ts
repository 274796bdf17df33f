import { locateSubscribers } from "../../../shared/delivery/subscriber.ts";
import { localClients } from "../aws/aws-clients.ts";
import { openQueue } from "../aws/open-queue.ts";
import { openSecrets } from "../aws/open-secrets.ts";
import { openTables } from "../aws/open-tables.ts";
import { readDate } from "../aws/read-date.ts";
import { type FunctionSettings, readFunctionSettings } from "../aws/read-function-settings.ts";
import { noCapturing, noGateway, noSmoke } from "../aws/unavailable.ts";
import type { Stack, StackChange } from "../ports/stack.ts";
import type { ConnectedTarget } from "../ports/target.ts";
import { localAudit } from "./local-audit.ts";
import {
  functionLogFile,
  type LocalDescription,
  localClock,
  readLocalDescription,
} from "./local-description.ts";
import { localLog } from "./local-log.ts";
import { localMetrics } from "./local-metrics.ts";
import { readOldestTimes, readQueuedBodies } from "./queue-emulator.ts";

/** The stack that `npm start` runs in this folder. Throws `target-not-found` or `target-incomplete`. */
export async function findLocalStack(directory: string): Promise<ConnectedTarget> {
  const description = await readLocalDescription(directory);
  const { region, aws, queues, tables } = description;
  const functions = Object.entries(description.functions).map(([label, described]) => {
    return { label, ...described };
  });
  const settings = readFunctionSettings(functions);
  const clients = localClients({ region, ...aws });
  const clock = {
    now: localClock(directory, description),
    awsDate: () => readDate(clients.sqs, queues.inbox),
  };
  const database = openTables(clients.dynamodb);
  const target: ConnectedTarget = {
    stack: describe(description, settings),
    clock,
    orders: { table: tables.orders, database },
    records: { table: tables.callbacks, database },
    queues: {
      inbox: { url: queues.inbox, deadLettersUrl: queues.inboxDeadLetters },
      subscribers: subscribersOf(description, settings),
      captured: queues.captured === undefined ? noCapturing : { url: queues.captured },
      open: (url, hold) => openQueue(clients.sqs, url, hold),
      oldestTimes: readOldestTimes,
      peek: readQueuedBodies,
    },
    keys: {
      ...openSecrets(clients.secretsManager, clock.now),
      stampKey: settings.STAMP_KEY,
      previousKeysMilliseconds: settings.PREVIOUS_KEYS_SECONDS * 1000,
    },
    functions: { all: functions, lambda: { unavailable: "The local stack has no Lambda." } },
    log: localLog(functionLogFile(directory)),
    metrics: localMetrics(directory, clock.now),
    audit: localAudit(directory, clock.now),
    findAgain: async () => target,
    close: clients.destroy,
  };
  return target;
}

function describe(description: LocalDescription, { GATEWAY }: FunctionSettings): Stack {
  const { region, api, merchants, smoke, gateway: simulator, aws: endpoints } = description;
  return {
    kind: "local",
    name: "local",
    region,
    api,
    callbackUrl: `${api}/callbacks`,
    merchants,
    smoke: smoke === undefined ? noSmoke : { ...smoke, queueUrl: smoke.queue },
    gateway: GATEWAY ?? noGateway,
    deployment: { unavailable: "The local stack is not deployed." },
    local: { simulator, endpoints },
    changesSince: async () => startOf(description),
  };
}

function startOf({ startedAt }: LocalDescription): readonly StackChange[] {
  if (startedAt === undefined) return [];
  return [{ kind: "start", at: startedAt, text: "stack started", who: undefined }];
}

function subscribersOf({ queues }: LocalDescription, { SUBSCRIBERS }: FunctionSettings) {
  return locateSubscribers(SUBSCRIBERS, queues.inbox).flatMap((subscriber) => {
    const queue = queues.subscribers[subscriber.name];
    return queue === undefined ? [] : [{ ...subscriber, deadLettersUrl: queue.deadLetters }];
  });
}
