import * as z from "zod";
import { parseJson } from "../../../shared/json/parse-json.ts";
import { type AwsAnswer, errorAnswer, serviceUnavailable, unknownQueue } from "./aws-error.ts";
import { type Call, startProxy } from "./emulator-proxy.ts";

export type InterruptedService = "sqs" | "dynamodb";

/**
 * A proxy between the functions and two of the emulators. It forwards everything unchanged until the Lab makes a
 * service or a queue unavailable. Only the functions use it, so the console can always read.
 */
export interface OutageProxy {
  /** The functions call the services here. */
  readonly endpoints: Readonly<Record<InterruptedService, string>>;
  readonly setOutage: (service: InterruptedService, isOn: boolean) => void;
  /** A broken queue rejects every message, like a deleted one. */
  readonly setQueueGone: (queueUrl: string, isGone: boolean) => void;
  readonly isOut: (service: InterruptedService) => boolean;
  readonly isQueueGone: (queueUrl: string) => boolean;
  stop(): Promise<void>;
}

export async function startOutageProxy(
  services: Readonly<Record<InterruptedService, string>>,
): Promise<OutageProxy> {
  const outages = new Set<InterruptedService>();
  const goneQueues = new Set<string>();
  const answer = (service: InterruptedService, call: Call): AwsAnswer | undefined => {
    if (outages.has(service)) return errorAnswer(service, serviceUnavailable);
    const isGone = goneQueues.size > 0 && service === "sqs" && isSendTo(goneQueues, call);
    return isGone ? errorAnswer(service, unknownQueue) : undefined;
  };
  const open = (service: InterruptedService) =>
    startProxy(services[service], { answer: (call) => answer(service, call) });
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

/** SQS identifies a queue by the path of its URL alone. */
function pathOf(queueUrl: string): string {
  return URL.canParse(queueUrl) ? new URL(queueUrl).pathname : queueUrl;
}
