import { refusalMetrics } from "../../../shared/receiving/callback-line.ts";
import type { Counted, CountOf, Metric, Range, ReadMetrics } from "../telemetry/metric.ts";

const of = (service: string) => (name: string) => ({ service, name });
const receiving = of("receive-callback");
const processing = of("process-callback");
const creating = of("create-order");
const querying = of("query-order");
const reconciling = of("reconcile-orders");

function countsWith(count: CountOf) {
  return {
    accepted: count(receiving("Accepted")),
    /** Requests that were answered 400, 401, 403 or 413. */
    refused: count(...Object.values(refusalMetrics).map(receiving)),
    /** Of these, the ones answered 401, and of those the ones that named no merchant of the stack. */
    notAuthentic: count(receiving(refusalMetrics["not-authentic"])),
    unknownMerchant: count(receiving("UnknownMerchant")),
    notStored: count(receiving("NotStored")),
    published: count(processing("Published")),
    /** Receipts that brought no news: a known fact, or the same callback again. */
    known: count(...["KnownFact", "Duplicate"].map(processing)),
    givenBack: count(processing("GivenBack")),
    quarantined: count(processing("Quarantined")),
    /** Receipts whose flags say that money may be wrong. Each of them rings an alarm. */
    doubtful: count(...["DuplicatePayment", "Mismatch", "Conflict"].map(processing)),
    ordersCreated: count(creating("Created")),
    /** Orders that the payment service refused. */
    ordersRefused: count(creating("ServiceRefused")),
    /** Orders that were answered 503 or 504. */
    ordersFailed: count(creating("ServerFault")),
    /** Of these, the ones answered 504: they may exist at the service. */
    ordersUnknown: count(creating("OutcomeUnknown")),
    /** What the shop asked about orders and payments. */
    asked: count(querying("Answered")),
    /** Questions to the service that failed: for the shop and for the reconciliation. */
    askFailed: count(
      ...["QueryFailed", "ServerFault"].map(querying),
      ...["QueryFailed", "ServiceRefused", "UnreadableAnswer"].map(reconciling),
    ),
  };
}

/** What the functions counted. */
export type FlowCounts = Readonly<ReturnType<typeof countsWith>>;

const nothing: Counted = { total: 0, perStep: [], stepMinutes: 1, since: 0 };

export async function readCounts(metrics: ReadMetrics, range: Range): Promise<FlowCounts> {
  // All metrics are asked for in one call, so they are collected first.
  const wanted: Metric[] = [];
  countsWith((...some) => {
    wanted.push(...some);
    return nothing;
  });
  return countsWith(await metrics(wanted, range));
}
