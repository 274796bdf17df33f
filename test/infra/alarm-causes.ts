import type { OpenedCallback } from "../../shared/envelope/open-callback.ts";
import { Refusal } from "../../shared/envelope/refusal.ts";
import { PaycastError } from "../../shared/errors/paycast-error.ts";
import { GatewayError } from "../../shared/gateway/gateway-error.ts";
import { describeKeysProblem } from "../../shared/keys/keys-line.ts";
import { createSenderKey } from "../../shared/keys/stamp-keys.ts";
import type { QueuedMessage } from "../../shared/processing/process-batch.ts";
import { rejectMessage, type SetAside, setAside } from "../../shared/processing/set-aside.ts";
import { describeAcceptance, describeRefusal } from "../../shared/receiving/callback-line.ts";
import { describeRun, newRun, type Run, writeNews } from "../../shared/reconciling/run-line.ts";
import { queryOrder } from "../../shared/storefront/query-order.ts";
import { noteUnwritten, respondWithLine } from "../../shared/storefront/storefront-line.ts";
import { createLog, type WriteLine } from "../../shared/telemetry/log-line.ts";
import { toRfc3339 } from "../../shared/time/timestamp.ts";
import { type AttentionEntry, countAttention } from "../../shared/watching/count-attention.ts";
import {
  readEmbeddedMetrics,
  type WrittenMetric,
} from "../../tools/local/alarms/read-embedded-metrics.ts";
import { anOrder } from "../shared/orders/facts.ts";

export const now = Date.UTC(2026, 10, 15, 12);
const merchantId = "M1";
const about = { merchantId };
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
  service: "SQS" | "Lambda" | "ApiGateway",
  name: string,
  subject: string,
  value: number,
): WrittenMetric[] {
  const dimension = { SQS: "QueueName", Lambda: "FunctionName", ApiGateway: "ApiId" }[service];
  const dimensions = { [dimension]: subject };
  const metric = { namespace: `AWS/${service}`, name, dimensions };
  return [{ metric, atMilliseconds: now, value }];
}

const receive = (write: (log: WriteLine) => unknown) => lines("receive-callback", write);
const opened = (verifiedBy: OpenedCallback["verifiedBy"]) => ({ merchantId, verifiedBy }) as never;

export const accepted = (verifiedBy: OpenedCallback["verifiedBy"] = currentKeys) =>
  receive((log) => log(...describeAcceptance(opened(verifiedBy), about, "", now, now)));

const currentKeys = { versionId: "v2", stage: "current" } as const;
export const outdatedKeys = {
  versionId: "v1",
  stage: "previous",
  replacedAtMilliseconds: now - 25 * hour,
} as const;

const refusedWith = (error: unknown) =>
  receive((log) => log(...describeRefusal(error, about, 0, 0)));
export const forged = () => refusedWith(new Refusal("not-authentic", "wrong-signature"));
export const fromElsewhere = () =>
  refusedWith(new Refusal("source-not-allowed", "source-not-allowed"));
export const notStored = () => refusedWith(new PaycastError("inbox-unavailable", ""));

const runWith = (changes: Partial<Run>): Run => ({ ...newRun(now), ...changes });
/** News of so many orders, which reconcile-orders counts in the name of receive-callback. */
export const news = (count: number) =>
  receive((log) => writeNews(runWith({ newsByMerchant: new Map([[merchantId, count]]) }), log));
export const ran = (changes: Partial<Run>) =>
  lines("reconcile-orders", (log) => log(...describeRun(runWith(changes), "reconciled", now)));

const problem = { merchantId, stage: "current", code: "keys-invalid", message: "" } as const;
export const keysProblem = (service: string, stage: "current" | "previous" = "current") =>
  lines(service, (log) => log(...describeKeysProblem({ ...problem, stage })));
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

/** Each part of the index holds these entries. */
export const counted = (...entries: readonly AttentionEntry[]) =>
  lines("count-attention", (log) =>
    countAttention({ read: async () => entries, now: () => now, log }),
  );
export const attention = (kind: AttentionEntry["kind"], minutesAgo: number) =>
  counted({ kind, since: toRfc3339(now - minutesAgo * 60_000) });

const created = (outcome: () => Promise<never> | { statusCode: number }) =>
  lines("create-order", (log) =>
    respondWithLine({ fields: {}, metrics: {} }, { now: () => now, log }, async () => {
      return { outcome: "answered", answer: (await outcome()) as never };
    }),
  );
export const noticeNotWritten = () =>
  lines("count-attention", (log) => noteUnwritten({ fields: {}, metrics: {} }, new Error(), log));
export const createdOne = () => created(() => ({ statusCode: 201 }));
export const createFailed = () => created(() => Promise.reject(new GatewayError("timed-out")));
export const createRefused = () =>
  created(() => Promise.reject(new GatewayError("refused", { refusal: { code: "1", msg: "" } })));

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
export const queryCrashed = () => queried({ loadOrder: () => Promise.reject(new Error("away")) });
