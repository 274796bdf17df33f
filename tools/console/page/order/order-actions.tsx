import { useState } from "preact/hooks";
import type { OrderView } from "../../../../shared/storefront/order-view.ts";
import { shellWord } from "../../../../shared/text/shell-word.ts";
import type { FormInput } from "../../../operations/described/command-line.ts";
import { stackOption } from "../../../operations/stack-option.ts";
import type { ReceiptEntry } from "../../../operations/timeline/receipt-entry.ts";
import type { PaymentView } from "../../routes/lab-routes.ts";
import { send } from "../api.ts";
import { lookNow } from "../live-updates.ts";
import { ActionButton, ChangeButton } from "../parts/buttons.tsx";
import { CopiedCommand } from "../parts/command.tsx";
import { Badge, Details } from "../parts/elements.tsx";
import { Field } from "../parts/fields.tsx";
import { ReadOnly } from "../parts/states.tsx";
import { DateTime } from "../parts/time.tsx";
import { addressOf, Link } from "../router.tsx";
import { useStack, useView } from "../use-view.ts";

/** Sends a command to the local payment service, then refreshes the views. */
async function sendToService(path: string, body: object): Promise<void> {
  await send(`/api/lab/service/${path}`, body);
  lookNow();
}

interface PaymentActionsProps {
  readonly order: OrderView;
  readonly paymentId: string;
}

/** On the local stack: what the payment service knows about a payment, and what it can do with it. */
export function PaymentActions({ order, paymentId }: PaymentActionsProps) {
  const path = addressOf(["api", "lab", "service", "payments", paymentId]);
  const { data } = useView<PaymentView>(useStack().hasLab ? path : undefined);
  if (data === undefined) return null;
  return (
    <>
      <Undelivered payment={data} />
      {data.status === "pending" && <Consumer paymentId={paymentId} payment={data} />}
      {Number(data.refundable) > 0 && (
        // A new form after each refund, with the new refundable amount.
        <RefundForm key={data.refundable} paymentId={paymentId} payment={data} />
      )}
      <p>
        <Link to={addressOf(["lab"], { order: order.orderNo })}>Faults for this order</Link>
      </p>
    </>
  );
}

const choices = [
  { action: "pay", text: "Pay" },
  { action: "fail", text: "Fail" },
  { action: "expire", text: "Expire" },
];

interface OfPaymentProps {
  readonly paymentId: string;
  readonly payment: PaymentView;
}

/** What the customer can do, here or at the checkout. */
function Consumer({ paymentId, payment: { checkoutUrl } }: OfPaymentProps) {
  return (
    <div class="buttons">
      {choices.map(({ action, text }) => (
        <ActionButton
          key={action}
          class="small"
          act={() => sendToService("act", { paymentId, action })}
        >
          {text}
        </ActionButton>
      ))}
      <a href={checkoutUrl} target="_blank" rel="noreferrer">
        Open the checkout ↗
      </a>
    </div>
  );
}

function RefundForm({ paymentId, payment: { refundable, currency } }: OfPaymentProps) {
  const [amount, setAmount] = useState(refundable);
  const [number, setNumber] = useState("");
  const refund = (outcome: "success" | "failed") =>
    sendToService("refund", {
      paymentId,
      amount,
      outcome,
      ...(number !== "" && { referRefundNo: number }),
    });
  return (
    <div class="refund-form">
      <Field
        label={`Refund in ${currency}, at most ${refundable}`}
        value={amount}
        inputMode="decimal"
        maxLength={32}
        onText={setAmount}
      />
      <Field label="Refund number (optional)" value={number} maxLength={64} onText={setNumber} />
      <div class="buttons">
        <ActionButton class="small" act={() => refund("success")}>
          Refund
        </ActionButton>
        <ActionButton class="small" act={() => refund("failed")}>
          Fail the refund
        </ActionButton>
      </div>
    </div>
  );
}

/** The callbacks that the timeline cannot show, because Paycast has not accepted them. */
function Undelivered({ payment: { undelivered } }: { readonly payment: PaymentView }) {
  return (
    <>
      {undelivered.map(({ id, eventName, state, nextAttemptAt }) => (
        <p key={id}>
          {eventName} <Badge tone="open">{state}</Badge>
          {nextAttemptAt !== undefined && (
            <span class="quiet">
              {" "}
              next attempt at <DateTime at={nextAttemptAt} />, payment service time
            </span>
          )}
        </p>
      ))}
    </>
  );
}

interface AskNowProps {
  readonly order: OrderView;
  readonly orderNo: string;
  readonly merchantId: string;
}

/**
 * Queries the payment service about an order whose callback is missing: a button here, the command on a deployed stack.
 */
export function AskNow({ order, orderNo, merchantId }: AskNowProps) {
  const stack = useStack();
  const { status, payments } = order;
  if (status === "success" || payments.length === 0) return null;
  if (stack.hasLab) {
    return (
      <ActionButton
        class="small"
        act={async () => {
          await send("/api/lab/ask", { merchantId, orderNo });
          lookNow();
        }}
      >
        Query the payment service now
      </ActionButton>
    );
  }
  const words = [orderNo, "--merchant", merchantId, "--ask"].map(shellWord).join(" ");
  return (
    <CopiedCommand
      purpose="Query the payment service now"
      line={`npx paycast order ${words}${stackOption(stack)}`}
    />
  );
}

/** On the local stack: makes the payment service send this callback again. */
export function SendAgain({ callbackId }: { readonly callbackId: string | undefined }) {
  if (!useStack().hasLab || callbackId === undefined) return null;
  return (
    <ActionButton class="small" act={() => sendToService("send-again", { callbackId })}>
      Resend this callback
    </ActionButton>
  );
}

interface ReplayEventProps {
  readonly receipt: ReceiptEntry;
  readonly eventId: string;
}

/** Sends this event to a subscriber again. */
export function ReplayEvent({ receipt, eventId }: ReplayEventProps) {
  const { subscribers } = useStack();
  return (
    <Details summary="Send this event again to …">
      {() => (
        <>
          <ReadOnly />
          <div class="buttons">
            {subscribers.map((name) => (
              <ChangeButton
                key={name}
                label={name}
                path="/api/replay"
                input={() => ({ to: name, ...placeOf(receipt), event: [eventId] })}
              />
            ))}
          </div>
        </>
      )}
    </Details>
  );
}

/** Where the event is recorded: a refund's event with its payment. */
function placeOf({ merchantId: merchant, orderNo, paymentId }: ReceiptEntry): FormInput {
  return orderNo === undefined ? { merchant, payment: paymentId } : { merchant, order: orderNo };
}
