import type { OrderView } from "../../../shared/storefront/order-view.ts";
import type { StackView } from "../../routes/stack-routes.ts";
import { send } from "../api.ts";
import { lookNow } from "../live.ts";
import { ActionButton } from "../parts/action-button.tsx";

/** Asks the local payment service for something, and shows what comes of it as soon as it comes. */
async function ask(path: string, body: object): Promise<void> {
  await send(`/api/lab/service/${path}`, body);
  lookNow();
}

interface PaymentActionsProps {
  readonly order: OrderView;
  readonly paymentId: string;
  readonly stack: StackView;
}

/** What the local payment service can do for a payment. */
export function PaymentActions({ order, paymentId, stack }: PaymentActionsProps) {
  const { simulator, hasLab } = stack;
  if (simulator === undefined || !hasLab) return null;
  const { status, checkoutUrl, paidAmount, refundedAmount } = order;
  const canRefund = status === "success" && refundedAmount?.minor !== paidAmount?.minor;
  const isCheckout = paymentId === order.paymentId && status === "pending";
  return (
    <div class="buttons">
      {canRefund && <ActionButton act={() => ask("refund", { paymentId })}>Refund it</ActionButton>}
      {isCheckout && checkoutUrl !== undefined && (
        <a href={checkoutUrl} target="_blank" rel="noreferrer">
          Open the checkout ↗
        </a>
      )}
      <a
        href={`${simulator}/orders/${encodeURIComponent(paymentId)}`}
        target="_blank"
        rel="noreferrer"
      >
        Open at the payment service ↗
      </a>
    </div>
  );
}

interface SendAgainProps {
  readonly callbackId: string | undefined;
  readonly stack: StackView;
}

/** On the local stack: the payment service sends this callback once more. */
export function SendAgain({ callbackId, stack }: SendAgainProps) {
  if (!stack.hasLab || callbackId === undefined) return null;
  return (
    <ActionButton class="small" act={() => ask("send-again", { callbackId })}>
      Let the service send it again
    </ActionButton>
  );
}
