import { refusalClasses } from "../../../shared/envelope/refusal.ts";
import { metricOf } from "../../../shared/receiving/callback-line.ts";
import type { Counted, Metric, Range, ReadMetrics } from "../ports/metrics.ts";

const of = (service: string) => (name: string) => ({ service, name });
const receiving = of("receive-callback");
const processing = of("process-callback");
const creating = of("create-order");
const querying = of("query-order");
const reconciling = of("reconcile-orders");

/** What the flow counts, and the metrics that each count adds up. */
const flowMetrics = {
  accepted: [receiving("Accepted")],
  /** Requests that returned 400, 401, 403 or 413. */
  refused: refusalClasses.map(metricOf).map(receiving),
  /** Of these, the ones that returned 401, and of those the ones that named no merchant of the stack. */
  notAuthentic: [receiving(metricOf("not-authentic"))],
  unknownMerchant: [receiving("UnknownMerchant")],
  notStored: [receiving("NotStored")],
  published: [processing("Published")],
  /** Receipts that brought no news: a known fact, or the same callback again. */
  known: ["KnownFact", "Duplicate"].map(processing),
  givenBack: [processing("GivenBack")],
  quarantined: [processing("Quarantined")],
  /** Receipts whose flags say that money may be wrong. Each of them needs attention. */
  doubtful: ["DuplicatePayment", "Mismatch", "Contradicted", "Conflict"].map(processing),
  ordersCreated: [creating("Created")],
  /** Orders that the payment service rejected. */
  ordersRefused: [creating("ServiceRefused")],
  /** Orders that returned 503 or 504. */
  ordersFailed: [creating("ServerFault")],
  /** Of these, the ones that returned 504: they may exist at the service. */
  ordersUnknown: [creating("OutcomeUnknown")],
  /** The shop's queries about orders and payments. */
  asked: [querying("Answered")],
  /** Those, and the queries of the reconciliation. */
  queries: [querying("Answered"), reconciling("Asked")],
  /** Queries to the service that failed: of the shop and of the reconciliation. */
  askFailed: [
    ...["QueryFailed", "ServerFault"].map(querying),
    ...["QueryFailed", "ServiceRefused", "UnreadableAnswer"].map(reconciling),
  ],
} satisfies Readonly<Record<string, readonly Metric[]>>;

type CountName = keyof typeof flowMetrics;

/** What the functions counted. */
export type FlowCounts = Readonly<Record<CountName, Counted>>;

/** All metrics are read in one call. */
export async function readCounts(metrics: ReadMetrics, range: Range): Promise<FlowCounts> {
  const count = await metrics(Object.values(flowMetrics).flat(), range);
  const countOf = (name: CountName) => count(...flowMetrics[name]);
  return {
    accepted: countOf("accepted"),
    refused: countOf("refused"),
    notAuthentic: countOf("notAuthentic"),
    unknownMerchant: countOf("unknownMerchant"),
    notStored: countOf("notStored"),
    published: countOf("published"),
    known: countOf("known"),
    givenBack: countOf("givenBack"),
    quarantined: countOf("quarantined"),
    doubtful: countOf("doubtful"),
    ordersCreated: countOf("ordersCreated"),
    ordersRefused: countOf("ordersRefused"),
    ordersFailed: countOf("ordersFailed"),
    ordersUnknown: countOf("ordersUnknown"),
    asked: countOf("asked"),
    queries: countOf("queries"),
    askFailed: countOf("askFailed"),
  };
}
