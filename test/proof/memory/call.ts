import {
  callbackRequest,
  createRequest,
  inboxRecords,
  processEnvironment,
  queryRequest,
  receiveEnvironment,
  serviceEnvironment,
} from "../../bench/requests.ts";
import type { SampleMessage } from "../../bench/sample-message.ts";

interface Response {
  readonly statusCode?: number;
  readonly batchItemFailures?: readonly object[];
}

/** A call of a function, and whether its response is the expected one. */
export interface MeasuredCall {
  readonly functionName: string;
  readonly environment: (sample: SampleMessage, endpoint: string) => Record<string, string>;
  readonly event: (sample: SampleMessage) => object;
  readonly isRight: (response: Response) => boolean;
}

const batchOf = (count: number): MeasuredCall => ({
  functionName: "process-callback",
  environment: processEnvironment,
  event: (sample) => ({ Records: inboxRecords(sample, count) }),
  isRight: ({ batchItemFailures }) => batchItemFailures?.length === 0,
});

export const calls = {
  "receive-callback": {
    functionName: "receive-callback",
    environment: receiveEnvironment,
    event: callbackRequest,
    isRight: ({ statusCode }) => statusCode === 200,
  },
  "process-callback, one message": batchOf(1),
  "process-callback, ten messages": batchOf(10),
  "create-order": {
    functionName: "create-order",
    environment: serviceEnvironment,
    event: createRequest,
    isRight: ({ statusCode }) => statusCode === 201,
  },
  "query-order, an open order": {
    functionName: "query-order",
    environment: serviceEnvironment,
    event: queryRequest,
    isRight: ({ statusCode }) => statusCode === 200,
  },
  "reconcile-orders, nothing due": {
    functionName: "reconcile-orders",
    environment: serviceEnvironment,
    event: () => ({}),
    isRight: (response) => response === undefined,
  },
  "count-attention": {
    functionName: "count-attention",
    environment: serviceEnvironment,
    event: () => ({}),
    isRight: (response) => response === undefined,
  },
} as const satisfies Record<string, MeasuredCall>;

export type CallName = keyof typeof calls;

export function isCallName(name: string): name is CallName {
  return Object.hasOwn(calls, name);
}
