import * as z from "zod";
import { serviceUnavailable, unknownQueue } from "../aws/aws-error.ts";
import type { ServiceCall } from "./requirements.ts";

type InterruptedService = "sqs" | "dynamodb";

/** The services and queues that the Lab has made unavailable. Only functions notice, so the console can always read. */
export interface Outages {
  readonly setOutage: (service: InterruptedService, isOn: boolean) => void;
  /** A broken queue rejects every message, like a deleted one. */
  readonly setQueueGone: (queueUrl: string, isGone: boolean) => void;
  readonly isOut: (service: InterruptedService) => boolean;
  readonly isQueueGone: (queueUrl: string) => boolean;
  /** Throws the error with which AWS would respond to this call of a function. */
  readonly check: (call: ServiceCall) => void;
}

export function createOutages(): Outages {
  const services = new Set<string>();
  const goneQueues = new Set<string>();
  return {
    setOutage: (service, isOn) => void (isOn ? services.add(service) : services.delete(service)),
    setQueueGone: (url, isGone) => {
      if (isGone) goneQueues.add(pathOf(url));
      else goneQueues.delete(pathOf(url));
    },
    isOut: (service) => services.has(service),
    isQueueGone: (url) => goneQueues.has(pathOf(url)),
    check: (call) => {
      if (services.has(call.service)) throw serviceUnavailable;
      if (call.service === "sqs" && isSendTo(goneQueues, call)) throw unknownQueue;
    },
  };
}

const sendSchema = z.object({ QueueUrl: z.string() });

function isSendTo(queues: ReadonlySet<string>, { operation, input }: ServiceCall): boolean {
  if (queues.size === 0 || !/^SendMessage(Batch)?$/.test(operation)) return false;
  const sent = sendSchema.safeParse(input);
  return sent.success && queues.has(pathOf(sent.data.QueueUrl));
}

/** SQS identifies a queue by the path of its URL alone. */
function pathOf(queueUrl: string): string {
  return URL.canParse(queueUrl) ? new URL(queueUrl).pathname : queueUrl;
}
