import {
  hasOlderSnapshot,
  type KnownEvent,
  type OrderSnapshot,
  type PaymentSnapshot,
} from "paycast-events";

interface Kept<Snapshot> {
  readonly merchantId: string;
  readonly sequence: string;
  readonly snapshot: Snapshot;
}

/** Two tables by `partitionkey`: orders and payments have independent sequences. */
export interface Snapshots {
  readonly orders: Map<string, Kept<OrderSnapshot>>;
  readonly payments: Map<string, Kept<PaymentSnapshot>>;
}

export function keepSnapshot({ orders, payments }: Snapshots, event: KnownEvent): void {
  const { data } = event;
  if ("order" in data) keepNewer(orders, event, data.order);
  else keepNewer(payments, event, data.payment);
}

function keepNewer<Snapshot>(
  table: Map<string, Kept<Snapshot>>,
  event: KnownEvent,
  snapshot: Snapshot,
): void {
  const { partitionkey, sequence, data } = event;
  if (hasOlderSnapshot(event, table.get(partitionkey)?.sequence)) return;
  table.set(partitionkey, { merchantId: data.merchantId, sequence, snapshot });
}

export interface OrderView {
  /** Undefined if only a refund of the order has arrived. */
  readonly order: OrderSnapshot | undefined;
  readonly payments: readonly PaymentSnapshot[];
  /** In the smallest unit of the order's currency. Undefined if a refund arrived before its payment was known. */
  readonly refundedMinor: bigint | undefined;
}

/** Joins on read, because the two kinds of events arrive in any order. */
export function viewOrder(
  { orders, payments }: Snapshots,
  merchantId: string,
  orderNo: string,
): OrderView {
  const ownOrders = snapshotsOf(orders, merchantId);
  const order = ownOrders.find((candidate) => candidate.orderNo === orderNo);
  // Each side may know of the other before the other does.
  const own = snapshotsOf(payments, merchantId).filter(
    (payment) => payment.orderNo === orderNo || order?.paymentIds.includes(payment.paymentId),
  );
  return { order, payments: own, refundedMinor: sumOf(own) };
}

function snapshotsOf<Snapshot>(table: Map<string, Kept<Snapshot>>, merchantId: string): Snapshot[] {
  const own = [...table.values()].filter((kept) => kept.merchantId === merchantId);
  return own.map(({ snapshot }) => snapshot);
}

function sumOf(payments: readonly PaymentSnapshot[]): bigint | undefined {
  let sum = 0n;
  for (const { refundedAmount } of payments) {
    if (refundedAmount === undefined) return undefined;
    sum += BigInt(refundedAmount.minor);
  }
  return sum;
}
