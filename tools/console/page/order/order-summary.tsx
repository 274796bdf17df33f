import type { OrderView } from "../../../../shared/storefront/order-view.ts";
import { otherNumberText } from "../../../operations/timeline/other-number-text.ts";
import type { WholeTimeline } from "../../../operations/timeline/whole-timeline.ts";
import type { PaymentIds } from "../../routes/lab-routes.ts";
import { Id, Money, OrderLink, Status } from "../parts/elements.tsx";
import { FlagList } from "../parts/flags.tsx";
import { FactList } from "../parts/report.tsx";
import { Ago, DateTime } from "../parts/time.tsx";
import { addressOf } from "../router.tsx";
import { useStack, useView } from "../use-view.ts";
import { AskNow, PaymentActions } from "./order-actions.tsx";

/** The current state of the order. */
export function OrderSummary({ timeline }: { readonly timeline: WholeTimeline }) {
  const { order, orderNo, merchantId } = timeline;
  if (order === undefined) {
    return (
      <section class="card">
        <h2>Now</h2>
        <p>The status is unknown: no callback of this order could be understood.</p>
        <FactList facts={[["Merchant", merchantId]]} />
      </section>
    );
  }
  return (
    <div class="order-side">
      <section class="card">
        <h2 class="hidden">Now</h2>
        <p class="amount">
          <Money amount={order.amount} />
        </p>
        <StatusText order={order} />
        <FlagList flags={order.flags} />
        <Details order={order} timeline={timeline} />
        <AskNow order={order} orderNo={orderNo} merchantId={merchantId} />
      </section>
      <Payments order={order} />
      {order.refunds.length > 0 && <Refunds order={order} />}
    </div>
  );
}

const origins = {
  create: "Created",
  callback: "Learned from a callback",
  query: "Learned from a query to the payment service",
};

function StatusText({ order }: { readonly order: OrderView }) {
  const { statusOrigin, statusAt, outcomeUnknown } = order;
  return (
    <p class="quiet">
      {origins[statusOrigin]} {statusAt !== undefined && <Ago at={statusAt} />}
      {outcomeUnknown && (
        <span class="open-text">
          . The payment service did not respond, so it is unknown whether the order exists.
        </span>
      )}
    </p>
  );
}

interface DetailsProps extends PaymentsProps {
  readonly timeline: WholeTimeline;
}

function Details({
  order,
  timeline: { nextCheckAt, lastQuery, otherNumber, merchantId },
}: DetailsProps) {
  const { paidAmount, refundedAmount, transactionId, refunds } = order;
  return (
    <FactList
      facts={[
        ["Paid", paidAmount && <Money amount={paidAmount} />],
        ["Refunded", refunds.length > 0 ? <Money amount={refundedAmount} /> : undefined],
        ["Reason", order.reason],
        ["Merchant", order.merchantId],
        ["Transaction", transactionId === undefined ? undefined : { id: transactionId }],
        ["Created", timeOf(order.createdAt)],
        ["Completed", timeOf(order.completedAt)],
        ["Expires", timeOf(order.expiresAt)],
        ["Next check", nextCheckAt === undefined ? undefined : <NextCheck at={nextCheckAt} />],
        [
          "Other number",
          otherNumber && (
            <>
              <OrderLink orderNo={otherNumber.orderNo} merchantId={merchantId} />{" "}
              <span class="quiet">{otherNumberText(otherNumber)}</span>
            </>
          ),
        ],
        ["Last query", lastQuery && <LastQuery {...lastQuery} />],
      ]}
    />
  );
}

function timeOf(at: string | undefined) {
  return at === undefined ? undefined : <DateTime at={at} />;
}

function NextCheck({ at }: { readonly at: string }) {
  return (
    <>
      <Ago at={at} />
      <span class="quiet"> (query to the payment service)</span>
    </>
  );
}

const resultText = {
  confirmed: "The payment service confirmed the status.",
  "new-status": "The payment service reported a new status.",
  "not-confirmed": "The payment service has not confirmed the status.",
};

function LastQuery({ claimedUntil, result }: NonNullable<WholeTimeline["lastQuery"]>) {
  return (
    <>
      {resultText[result]}
      {claimedUntil !== undefined && result !== "confirmed" && (
        <>
          {" "}
          The next query is possible at <DateTime at={claimedUntil} />.
        </>
      )}
    </>
  );
}

interface PaymentsProps {
  readonly order: OrderView;
}

/** If the response to the creation was lost, Paycast has no payment id, but the local payment service has it. */
function Payments({ order }: PaymentsProps) {
  const { orderNo, merchantId: merchant, payments } = order;
  const isAsked = useStack().hasLab && payments.length === 0;
  const address = addressOf(["api", "lab", "service", "payments"], { orderNo, merchant });
  const { data } = useView<PaymentIds>(isAsked ? address : undefined);
  const paymentIds = data?.paymentIds ?? payments.map(({ paymentId }) => paymentId);
  if (paymentIds.length === 0) return null;
  return (
    <section class="card">
      <h2>{paymentIds.length === 1 ? "Payment" : "Payments"}</h2>
      <ul class="plain-list">
        {paymentIds.map((paymentId) => (
          <li key={paymentId}>
            <Id text={paymentId} what="payment id" />
            <PaymentActions order={order} paymentId={paymentId} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function Refunds({ order }: { readonly order: OrderView }) {
  return (
    <section class="card">
      <h2>{order.refunds.length === 1 ? "Refund" : "Refunds"}</h2>
      <ul class="plain-list">
        {order.refunds.map(({ refundId, refundNo, amount, status }) => (
          <li key={refundId}>
            <span class="line">
              <Money amount={amount} />
              <Status status={status} />
            </span>
            <Id text={refundId} what="refund id" />
            {refundNo !== undefined && <p class="quiet">Number {refundNo}</p>}
          </li>
        ))}
      </ul>
    </section>
  );
}
