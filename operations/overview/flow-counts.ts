import { refusalMetrics } from "../../shared/receiving/callback-line.ts";
import type { Counted, Metric, Range, ReadMetrics } from "../telemetry/metric.ts";

/** What the functions counted. */
export interface FlowCounts {
  readonly accepted: Counted;
  /** Requests that were answered 400, 401, 403 or 413. */
  readonly refused: Counted;
  /** Of these, the ones answered 401, and of those the ones that named no merchant of the stack. */
  readonly notAuthentic: Counted;
  readonly unknownMerchant: Counted;
  readonly notStored: Counted;
  readonly published: Counted;
  /** Receipts that brought no news: a known fact, or the same callback again. */
  readonly known: Counted;
  readonly givenBack: Counted;
  readonly quarantined: Counted;
  /** Receipts whose flags say that money may be wrong. Each of them rings an alarm. */
  readonly doubtful: Counted;
  readonly ordersCreated: Counted;
  /** Orders that the payment service refused. */
  readonly ordersRefused: Counted;
  /** Orders that were answered 503 or 504. */
  readonly ordersFailed: Counted;
  /** Of these, the ones answered 504: they may exist at the service. */
  readonly ordersUnknown: Counted;
  /** What the shop asked about orders and payments. */
  readonly asked: Counted;
  /** Questions to the service that failed: for the shop and for the reconciliation. */
  readonly askFailed: Counted;
}

const of = (service: string) => (name: string) => ({ service, name });
const receiving = of("receive-callback");
const processing = of("process-callback");
const creating = of("create-order");
const querying = of("query-order");
const reconciling = of("reconcile-orders");

const flowMetrics: Readonly<Record<keyof FlowCounts, readonly Metric[]>> = {
  accepted: [receiving("Accepted")],
  refused: Object.values(refusalMetrics).map(receiving),
  notAuthentic: [receiving(refusalMetrics["not-authentic"])],
  unknownMerchant: [receiving("UnknownMerchant")],
  notStored: [receiving("NotStored")],
  published: [processing("Published")],
  known: ["KnownFact", "Duplicate"].map(processing),
  givenBack: [processing("GivenBack")],
  quarantined: [processing("Quarantined")],
  doubtful: ["DuplicatePayment", "Mismatch", "Conflict"].map(processing),
  ordersCreated: [creating("Created")],
  ordersRefused: [creating("ServiceRefused")],
  ordersFailed: [creating("ServerFault")],
  ordersUnknown: [creating("OutcomeUnknown")],
  asked: [querying("Answered")],
  askFailed: [
    ...["QueryFailed", "ServerFault"].map(querying),
    ...["QueryFailed", "ServiceRefused", "UnreadableAnswer"].map(reconciling),
  ],
};

export async function readCounts(metrics: ReadMetrics, range: Range): Promise<FlowCounts> {
  const count = await metrics(Object.values(flowMetrics).flat(), range);
  const countOf = (name: keyof FlowCounts) => count(...flowMetrics[name]);
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
    askFailed: countOf("askFailed"),
  };
}
