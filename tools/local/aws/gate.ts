import * as z from "zod";
import { parseJson } from "../../../shared/parse-json.ts";
import { type AwsAnswer, errorAnswer, serviceUnavailable, unknownQueue } from "./aws-error.ts";
import { type Call, openDoor } from "./door.ts";

export type GatedService = "sqs" | "dynamodb";

/**
 * Stands between the functions and two of the emulators. It passes everything on unchanged, until somebody takes a
 * service or a queue away. Only the functions go through it, so the console can always look.
 */
export interface Gate {
  /** The functions call the services here. */
  readonly endpoints: Readonly<Record<GatedService, string>>;
  readonly setOutage: (service: GatedService, isOn: boolean) => void;
  /** A queue that is gone refuses every message, as a deleted one does. */
  readonly setQueueGone: (queueUrl: string, isGone: boolean) => void;
  readonly isOut: (service: GatedService) => boolean;
  readonly isQueueGone: (queueUrl: string) => boolean;
  stop(): Promise<void>;
}

export async function startGate(services: Readonly<Record<GatedService, string>>): Promise<Gate> {
  const outages = new Set<GatedService>();
  const goneQueues = new Set<string>();
  const answer = (service: GatedService, call: Call): AwsAnswer | undefined => {
    if (outages.has(service)) return errorAnswer(service, serviceUnavailable);
    const isGone = goneQueues.size > 0 && service === "sqs" && isSendTo(goneQueues, call);
    return isGone ? errorAnswer(service, unknownQueue) : undefined;
  };
  const open = (service: GatedService) =>
    openDoor(services[service], { answer: (call) => answer(service, call) });
  const [sqs, dynamodb] = await Promise.all([open("sqs"), open("dynamodb")]);
  return {
    endpoints: { sqs: sqs.endpoint, dynamodb: dynamodb.endpoint },
    setOutage: (service, isOn) => void (isOn ? outages.add(service) : outages.delete(service)),
    setQueueGone: (url, isGone) => {
      if (isGone) goneQueues.add(pathOf(url));
      else goneQueues.delete(pathOf(url));
    },
    isOut: (service) => outages.has(service),
    isQueueGone: (url) => goneQueues.has(pathOf(url)),
    stop: async () => {
      await Promise.all([sqs.stop(), dynamodb.stop()]);
    },
  };
}

const sendSchema = z.object({ QueueUrl: z.string() });

function isSendTo(queues: ReadonlySet<string>, { target, body }: Call): boolean {
  if (!/^AmazonSQS\.SendMessage(Batch)?$/.test(target)) return false;
  const sent = sendSchema.safeParse(parseJson(body.toString("utf8")));
  return sent.success && queues.has(pathOf(sent.data.QueueUrl));
}

/** SQS finds a queue by the path of its address alone. */
function pathOf(queueUrl: string): string {
  return URL.canParse(queueUrl) ? new URL(queueUrl).pathname : queueUrl;
}
