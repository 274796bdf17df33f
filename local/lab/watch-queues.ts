import * as z from "zod";
import type { LocalDescription } from "../../operations/target/local-target.ts";
import { parseJson } from "../../shared/parse-json.ts";
import type { QueueEvents } from "../aws/sqs/queue-store.ts";

const eventSchema = z.object({ subject: z.string().optional(), type: z.string() });

export interface QueueWatch extends QueueEvents {
  /** When somebody last asked for a message of this queue. */
  readonly readAt: (queueUrl: string) => string | undefined;
}

/** Remembers who reads, and tells of each new dead letter. `queues` gives undefined until the stack runs. */
export function watchQueues(
  queues: () => LocalDescription["queues"] | undefined,
  tell: (line: string) => void,
): QueueWatch {
  const reads = new Map<string, string>();
  return {
    readAt: (queueUrl) => reads.get(nameOf(queueUrl)),
    received: (queueName) => void reads.set(queueName, new Date().toISOString()),
    buried: (queueName, body) => {
      const owner = ownerOf(queues(), queueName);
      const event = eventSchema.safeParse(parseJson(body)).data;
      const what = event === undefined ? "a message" : [event.subject, event.type].join(" ").trim();
      tell(`new dead letter of ${owner}: ${what} → npx paycast dead-letters list ${owner}`);
    },
  };
}

function ownerOf(queues: LocalDescription["queues"] | undefined, queueName: string): string {
  const owner = Object.entries(queues?.subscribers ?? {}).find(
    ([, { url }]) => nameOf(url) === queueName,
  );
  return owner?.[0] ?? "inbox";
}

function nameOf(queueUrl: string): string {
  return queueUrl.split("/").at(-1) ?? queueUrl;
}
