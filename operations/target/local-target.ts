import { localAudit } from "../audit/write-audit.ts";
import { localClients } from "./aws-clients.ts";
import {
  functionLogFile,
  type LocalDescription,
  readFunctionSettings,
  readLocalDescription,
} from "./local-description.ts";
import type { Target, TargetSubscriber } from "./target.ts";

/** The stack that `npm start` runs in this folder. */
export async function findLocalTarget(directory: string): Promise<Target> {
  const description = await readLocalDescription(directory);
  const { api, region, aws, queues, tables, merchants, smoke, gateway } = description;
  const functions = Object.entries(description.functions).map(([label, one]) => ({
    label,
    ...one,
  }));
  const settings = readFunctionSettings(functions);
  return {
    kind: "local",
    name: "local",
    region,
    accountId: undefined,
    api,
    callbackUrl: `${api}/callbacks`,
    inbox: { url: queues.inbox, deadLettersUrl: queues.inboxDeadLetters },
    subscribers: subscribersOf(description, settings.SUBSCRIBERS),
    tables,
    merchants,
    functions,
    gateway: settings.GATEWAY,
    previousKeysMilliseconds: settings.PREVIOUS_KEYS_SECONDS * 1000,
    capturedUrl: queues.captured,
    smoke: smoke && { ...smoke, queueUrl: smoke.queue },
    encryptionKeyArn: undefined,
    isDisposable: true,
    version: undefined,
    simulator: gateway,
    endpoints: aws,
    functionLog: functionLogFile(directory),
    directory,
    clients: localClients({ region, ...aws }),
    audit: localAudit(directory),
  };
}

function subscribersOf(
  { queues }: LocalDescription,
  running: readonly Omit<TargetSubscriber, "deadLettersUrl">[],
): TargetSubscriber[] {
  return running.flatMap((subscriber) => {
    const queue = queues.subscribers[subscriber.name];
    return queue === undefined ? [] : [{ ...subscriber, deadLettersUrl: queue.deadLetters }];
  });
}
