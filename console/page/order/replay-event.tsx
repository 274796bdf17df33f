import type { ReceiptEntry } from "../../../operations/timeline/receipt-entry.ts";
import type { StackView } from "../../routes/stack-routes.ts";
import { Details } from "../parts/details.tsx";
import { ReadOnly } from "../parts/read-only.tsx";
import { ReplayButton } from "../subscriber/replay-button.tsx";

interface ReplayEventProps {
  readonly receipt: ReceiptEntry;
  readonly eventId: string;
  readonly stack: StackView;
}

/** Sends this one event to a subscriber again. */
export function ReplayEvent({ receipt, eventId, stack }: ReplayEventProps) {
  return (
    <Details summary="Send it again to …">
      {() => (
        <>
          <ReadOnly stack={stack} />
          <div class="buttons">
            {stack.subscribers.map((name) => (
              <ReplayButton
                key={name}
                label={name}
                name={name}
                stack={stack}
                body={() => ({ ...placeOf(receipt), merchantId: receipt.merchantId, eventId })}
              />
            ))}
          </div>
        </>
      )}
    </Details>
  );
}

/** Where the event is recorded: a refund's with its payment. */
function placeOf({ orderNo, paymentId }: ReceiptEntry): object {
  return orderNo === undefined ? { by: "payment", paymentId } : { by: "order", orderNo };
}
