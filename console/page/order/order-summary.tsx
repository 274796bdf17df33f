import type { WholeTimeline } from "../../../operations/timeline/whole-timeline.ts";
import type { OrderView } from "../../../shared/storefront/order-view.ts";
import type { PaymentIds } from "../../routes/service-routes.ts";
import type { StackView } from "../../routes/stack-routes.ts";
import { Fact, TextFact } from "../parts/details.tsx";
import { FlagList } from "../parts/meaning.tsx";
import { Id, Money, Status } from "../parts/small.tsx";
import { Ago, DateTime } from "../parts/time.tsx";
import { addressOf } from "../router.tsx";
import { useView } from "../use-view.ts";
import { PaymentActions } from "./at-the-service.tsx";

interface SummaryProps {
  readonly timeline: WholeTimeline;
  readonly stack: StackView;
}

/** How the order stands now. */
export function OrderSummary({ timeline, stack }: SummaryProps) {
  const { order, merchantId } = timeline;
  if (order === undefined) {
    return (
      <section class="card">
        <h2>Now</h2>
        <p>No status is known: nothing that came about this order could be understood.</p>
        <dl>
          <Fact name="Merchant">{merchantId}</Fact>
        </dl>
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
      </section>
      <Payments order={order} stack={stack} />
      {order.refunds.length > 0 && <Refunds order={order} />}
    </div>
  );
}

const origins = {
  create: "Created",
  callback: "Learned from a callback",
  query: "Learned by asking the service",
};

function StatusText({ order }: { readonly order: OrderView }) {
  const { statusOrigin, statusAt, outcomeUnknown } = order;
  return (
    <p class="quiet">
      {origins[statusOrigin]} {statusAt !== undefined && <Ago at={statusAt} />}
      {outcomeUnknown && (
        <span class="open-text">. The service did not answer, so nobody knows if it exists.</span>
      )}
    </p>
  );
}

function Details({ order, timeline }: { order: OrderView; timeline: WholeTimeline }) {
  const { paidAmount, refundedAmount, transactionId, reason, expiresAt } = order;
  const { nextCheckAt, question } = timeline;
  return (
    <dl>
      {paidAmount && (
        <Fact name="Paid">
          <Money amount={paidAmount} />
        </Fact>
      )}
      {refundedAmount && order.refunds.length > 0 && (
        <Fact name="Refunded">
          <Money amount={refundedAmount} />
        </Fact>
      )}
      <TextFact name="Reason" value={reason} />
      <Fact name="Merchant">{order.merchantId}</Fact>
      {transactionId !== undefined && (
        <Fact name="Transaction">
          <Id text={transactionId} what="transaction" />
        </Fact>
      )}
      {order.createdAt && <TimeRow name="Created" at={order.createdAt} />}
      {order.completedAt && <TimeRow name="Completed" at={order.completedAt} />}
      {expiresAt && <TimeRow name="Expires" at={expiresAt} />}
      {nextCheckAt !== undefined && (
        <Fact name="Next check">
          <Ago at={nextCheckAt} />
          <span class="quiet"> Paycast asks the service</span>
        </Fact>
      )}
      {question && <Fact name="Last question">{questionText(question)}</Fact>}
    </dl>
  );
}

function TimeRow({ name, at }: { readonly name: string; readonly at: string }) {
  return (
    <Fact name={name}>
      <DateTime at={at} />
    </Fact>
  );
}

function questionText({ claimedUntil, answered }: NonNullable<WholeTimeline["question"]>) {
  if (answered) return "The service confirmed the status.";
  return (
    <>
      Not answered, or its answer is news.
      {claimedUntil !== undefined && (
        <>
          {" "}
          No other is sent before <DateTime at={claimedUntil} />.
        </>
      )}
    </>
  );
}

interface PaymentsProps {
  readonly order: OrderView;
  readonly stack: StackView;
}

/** If the answer to the creation was lost, Paycast knows no payment, but the local payment service does. */
function Payments({ order, stack }: PaymentsProps) {
  const known = order.payments.map(({ paymentId }) => paymentId);
  if (known.length > 0) return <PaymentList order={order} stack={stack} paymentIds={known} />;
  return stack.hasLab ? <PaymentsOfService order={order} stack={stack} /> : null;
}

function PaymentsOfService({ order, stack }: PaymentsProps) {
  const { orderNo, merchantId: merchant } = order;
  const address = addressOf(["api", "lab", "service", "payments"], { orderNo, merchant });
  const { paymentIds = [] } = useView<PaymentIds>(address).data ?? {};
  if (paymentIds.length === 0) return null;
  return <PaymentList order={order} stack={stack} paymentIds={paymentIds} />;
}

interface PaymentListProps extends PaymentsProps {
  readonly paymentIds: readonly string[];
}

function PaymentList({ order, stack, paymentIds }: PaymentListProps) {
  return (
    <section class="card">
      <h2>{paymentIds.length === 1 ? "Payment" : "Payments"}</h2>
      <ul class="plain-list">
        {paymentIds.map((paymentId) => (
          <li key={paymentId}>
            <Id text={paymentId} what="payment id" />
            <PaymentActions order={order} paymentId={paymentId} stack={stack} />
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
