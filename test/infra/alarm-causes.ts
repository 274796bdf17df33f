import { NotDecrypted } from "../../shared/envelope/not-decrypted.ts";
import type { OpenedCallback } from "../../shared/envelope/open-callback.ts";
import { Refusal } from "../../shared/envelope/refusal.ts";
import { PaycastError } from "../../shared/errors/paycast-error.ts";
import type { Fact } from "../../shared/facts/fact.ts";
import { GatewayError } from "../../shared/gateway/gateway-error.ts";
import type { KeyProblem } from "../../shared/keys/key-ring.ts";
import { describeKeysProblem } from "../../shared/keys/keys-line.ts";
import { createSenderKey } from "../../shared/keys/stamp-keys.ts";
import type { EndCount } from "../../shared/orders/count-end.ts";
import type { QueuedMessage } from "../../shared/processing/process-batch.ts";
import { describeProcessing } from "../../shared/processing/processing-line.ts";
import { rejectMessage, type SetAside, setAside } from "../../shared/processing/set-aside.ts";
import { describeAcceptance, describeRefusal } from "../../shared/receiving/callback-line.ts";
import type { Result } from "../../shared/reconciling/check-findings.ts";
import { describeRun } from "../../shared/reconciling/run-line.ts";
import type { PublishedRecord } from "../../shared/records/callback-record.ts";
import { queryOrder } from "../../shared/storefront/query-order.ts";
import { noteUnwritten, respondWithLine } from "../../shared/storefront/storefront-line.ts";
import { createLog, type LogFields, type WriteLine } from "../../shared/telemetry/log-line.ts";
import { toRfc3339 } from "../../shared/time/timestamp.ts";
import { callbackGraceMilliseconds } from "../../shared/timing.ts";
import { type AttentionEntry, countAttention } from "../../shared/watching/count-attention.ts";
import { parseFilterPattern } from "../../tools/local/alarms/filter-pattern.ts";
import { filterLine } from "../../tools/local/alarms/metric-filters.ts";
import {
  readEmbeddedMetrics,
  type WrittenMetric,
} from "../../tools/local/alarms/read-embedded-metrics.ts";
import { readAccessLog } from "../../tools/local/stack/http/access-log.ts";
import { anOrder } from "../shared/orders/facts.ts";
import { createInMemory, type InMemory } from "../shared/storefront/create-in-memory.ts";
import { alarmingOptions } from "./alarm-shapes.ts";
import { propertiesOf, stackInWords } from "./stack-template.ts";

export const now = Date.UTC(2026, 10, 15, 12);
const merchantId = "M1";
const hour = 3_600_000;

/** What a function writes, by the code that writes it: no name of a metric is repeated here. */
async function lines(service: string, write: (log: WriteLine) => unknown) {
  const written: string[] = [];
  const log = createLog({
    service,
    namespace: "Paycast",
    now: () => now,
    write: (line) => void written.push(line),
  });
  await write(log);
  return written.flatMap(readEmbeddedMetrics);
}

/** What AWS writes by itself. The names are AWS's own. */
export function aws(
  service: "SQS" | "Lambda",
  name: string,
  subject: string,
  value: number,
): WrittenMetric[] {
  const dimensions = { [service === "SQS" ? "QueueName" : "FunctionName"]: subject };
  const metric = { namespace: `AWS/${service}`, name, dimensions };
  return [{ metric, atMilliseconds: now, value }];
}

const template = stackInWords(alarmingOptions);
const [stage] = Object.values(propertiesOf(template, "AWS::ApiGatewayV2::Stage"));
const accessLog = readAccessLog(stage.AccessLogSettings);
const filters = Object.values(propertiesOf(template, "AWS::Logs::MetricFilter")).map(
  ({
    FilterPattern,
    MetricTransformations: [{ MetricNamespace: namespace, MetricName: name }],
  }) => {
    return {
      pattern: parseFilterPattern(FilterPattern),
      metric: { namespace, name, dimensions: {} },
    };
  },
);

/** What the template's metric filters count of a request. A function that crashed or was not called has no status. */
export function requested(routeKey: string, status: number, functionStatus?: number | "none") {
  const ofFunction = functionStatus === "none" ? undefined : (functionStatus ?? status);
  const line = accessLog.lineOf({
    requestId: "r",
    atMilliseconds: now,
    routeKey,
    status,
    latencyMilliseconds: 20,
    integration: { status: ofFunction },
  });
  return [...filterLine(filters, line, now)];
}

const receive = (write: (log: WriteLine) => unknown) => lines("receive-callback", write);

type VerifiedBy = OpenedCallback["verifiedBy"];
const currentKeys: VerifiedBy = { versionId: "v2", stage: "current" };
export const outdatedKeys: VerifiedBy = {
  versionId: "v1",
  stage: "previous",
  replacedAtMilliseconds: now - 25 * hour,
};

export const accepted = (verifiedBy = currentKeys, of = merchantId) =>
  receive((log) => {
    const opened = { merchantId: of, verifiedBy } as OpenedCallback;
    log(...describeAcceptance(opened, { merchantId: of }, "", now, now));
  });

const refusedWith = (error: unknown, about: Partial<LogFields> = { merchantId }) =>
  receive((log) => log(...describeRefusal(error, about, 0, 0)));
export const forged = () => refusedWith(new Refusal("not-authentic", "wrong-signature"));
export const fromElsewhere = () =>
  refusedWith(new Refusal("source-not-allowed", "source-not-allowed"));
export const notDecrypted = () =>
  refusedWith(new NotDecrypted({ merchantId, id: undefined, eventName: undefined }));
export const notStored = () => refusedWith(new PaycastError("inbox-unavailable", ""));

interface Ran {
  readonly oldestDueMilliseconds: number;
  /** Of each of its queries. */
  readonly results?: readonly Result["kind"][];
}
export const ran = ({ oldestDueMilliseconds, results = [] }: Ran) =>
  lines("reconcile-orders", (log) => {
    const happenings = results.map((kind) => ({
      kind: "asked" as const,
      aggregateKey: "M1#order#A",
      merchantId,
      result: { kind } as Result,
    }));
    const journal = { startedAtMilliseconds: now, oldestDueMilliseconds, happenings };
    log(...describeRun(journal, "reconciled", now));
  });

const problem = {
  merchantId,
  stage: "current",
  isServed: true,
  sinceMilliseconds: now,
  code: "keys-invalid",
  message: "",
} as const;
export const keysProblem = (service: string, changes: Partial<KeyProblem> = {}) =>
  lines(service, (log) => log(...describeKeysProblem({ ...problem, ...changes }, now)));
export const fetchFailing = (seconds: number, service = "receive-callback") => {
  const sinceMilliseconds = now - 1000 * seconds;
  return keysProblem(service, { code: "keys-unreachable", sinceMilliseconds });
};
/** No Secrets Manager answers here. */
export const stampKeyProblem = () =>
  lines("process-callback", async (log) => {
    const key = createSenderKey({ secretId: "stamp", now: () => now, log });
    await key.current().catch(() => {});
  });

const message = { messageId: "m", body: "", group: "g", receiveCount: 9 };
const queuedFor = (seconds: number) =>
  ({ ...message, sentAtMilliseconds: now - 1000 * seconds }) as unknown as QueuedMessage;
const processing = (run: (deps: SetAside) => unknown) =>
  lines("process-callback", (log) => {
    const deps = {
      log,
      now: () => now,
      failingSince: () => now,
      sendToDeadLetters: async () => {},
    };
    return run(deps as unknown as SetAside);
  });
export const givenBack = (seconds: number) =>
  processing((deps) => {
    const failed = { queued: queuedFor(seconds), receipt: undefined };
    return setAside(failed, Object.assign(new Error(), { $fault: "server" }), deps);
  });
export const withoutStamp = () =>
  processing((deps) => rejectMessage(queuedFor(0), new PaycastError("stamp-missing", ""), deps));

/** process-callback learns an end of an order, or a callback tells one that a query had found. */
const ended = (kind: EndCount["kind"], origin: EndCount["origin"], of = merchantId) =>
  lines("process-callback", (log) => {
    const fact = { kind: "payment", merchantId: of, type: "payment.order.success" } as Fact;
    const record = { outcome: "published", flags: [] } as unknown as PublishedRecord;
    const end = { kind, origin, learnedAtMilliseconds: now - callbackGraceMilliseconds };
    const recorded = { record, isNew: true, end };
    const delivery = { delivered: [], failures: [] };
    const processed = { fact, recorded, delivery, ending: "delivered" } as const;
    log(...describeProcessing(queuedFor(0), processed, now, now));
  });
export const endByCallback = (of?: string) => ended("learned", "callback", of);
export const endByQuery = () => ended("learned", "query");
export const endToldLater = () => ended("told", "callback");

/** Each part of the index holds these entries. */
export const counted = (...entries: readonly AttentionEntry[]) =>
  lines("count-attention", (log) =>
    countAttention({ read: async () => entries, now: () => now, log }),
  );
export const attention = (kind: AttentionEntry["kind"], minutesAgo: number) =>
  counted({ kind, since: toRfc3339(now - minutesAgo * 60_000) });

export const noticeNotWritten = () =>
  lines("count-attention", (log) => noteUnwritten({ fields: {}, metrics: {} }, new Error(), log));

const creating = (options: Omit<InMemory, "log"> = {}) =>
  lines("create-order", (log) => createInMemory({ ...options, log }));
export const createdOne = () => creating();
const answering = (error: Error) =>
  creating({ changes: { createPayment: () => Promise.reject(error) } });
export const createFailed = () => answering(new GatewayError("timed-out"));
const refusal = (code: string) => new GatewayError("refused", { refusal: { code, msg: "" } });
export const createRefused = () => answering(refusal("1"));
export const refusedAsCallers = () => answering(refusal("40012"));
/** Then nothing is known about the order. */
export const createWithoutTable = () =>
  creating({ changes: { begin: () => Promise.reject(new Error("away")) } });
export const wrongBody = () => creating({ body: {} });

const queried = (changes: object) =>
  lines("query-order", (log) =>
    queryOrder(
      { routeKey: "GET /payments/{paymentId}", pathParameters: { paymentId: "P1" } } as never,
      {
        merchantIds: [merchantId],
        loadOrder: async () => anOrder({ paymentIds: ["P1"], revision: 1 }),
        loadPayment: async () => ({ paymentId: "P1", order: { orderNo: "A" } }),
        loadPayments: async () => [],
        saveOrder: async (order: unknown) => order,
        hasTimeToAsk: () => true,
        onFailure: () => {},
        now: () => now,
        random: () => 0,
        log,
        ...changes,
      } as never,
    ),
  );
export const queryUnanswered = () =>
  queried({ queryPayment: () => Promise.reject(new GatewayError("timed-out")) });

/** Requests that anybody can send. None of them is authentic, signed or valid. */
const ofStrangers = async (): Promise<WrittenMetric[]> => [
  ...requested("POST /callbacks", 401),
  ...(await refusedWith(new Refusal("not-authentic", "unknown-merchant"), {})),
  ...requested("POST /callbacks", 400),
  ...(await refusedWith(new Refusal("not-an-envelope", "not-json"), {})),
  ...requested("POST /orders", 403, "none"),
  ...requested("POST /orders", 400),
  ...(await wrongBody()),
  ...requested("$default", 404),
];

const queriedOne = () =>
  lines("query-order", (log) =>
    respondWithLine({ fields: {}, metrics: {} }, { now: () => now, log }, async () => {
      return { outcome: "answered", answer: { statusCode: 200, headers: {}, body: "" } };
    }),
  );

/** One healthy request of each kind, with what API Gateway and the functions write about it. */
export const healthy = {
  callbacks: async () => [
    ...requested("POST /callbacks", 200),
    ...(await accepted()),
    ...(await endByCallback()),
    ...invoked("IntakeReceiveCallbackFunction"),
  ],
  callbacksOfOther: async () => [
    ...requested("POST /callbacks", 200),
    ...(await accepted(currentKeys, "M2")),
    ...(await endByCallback("M2")),
    ...invoked("IntakeReceiveCallbackFunction"),
  ],
  orders: async () => [
    ...requested("POST /orders", 201),
    ...(await createdOne()),
    ...invoked("StorefrontCreateOrderFunction"),
  ],
  ordersOfOther: async () => [
    ...requested("POST /orders", 201),
    ...(await creating({ merchantId: "M2" })),
    ...invoked("StorefrontCreateOrderFunction"),
  ],
  queries: async () => [
    ...requested("GET /orders/{orderNo+}", 200),
    ...(await queriedOne()),
    ...invoked("StorefrontQueryOrderFunction"),
  ],
  runs: async () => [
    ...(await ran({ oldestDueMilliseconds: 0, results: ["news"] })),
    ...invoked("ReconciliationReconcileOrdersFunction"),
  ],
  counts: async () => [...(await counted()), ...invoked("AttentionCountAttentionFunction")],
  batches: async () => invoked("ProcessingProcessCallbackFunction"),
  strangers: ofStrangers,
};

export type Kind = keyof typeof healthy;

export function invoked(id: string, outcome: "done" | "failed" | "throttled" = "done") {
  return [
    ...aws("Lambda", "Errors", id, outcome === "failed" ? 1 : 0),
    ...aws("Lambda", "Throttles", id, outcome === "throttled" ? 1 : 0),
  ];
}
