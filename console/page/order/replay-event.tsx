import type { ReceiptEntry } from "../../../operations/timeline/receipt-entry.ts";
import type { StackView } from "../../routes/stack-routes.ts";
import { Details } from "../parts/details.tsx";
import { ChangeButton } from "../parts/report.tsx";
import { ReadOnly } from "../parts/states.tsx";

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

/** Where the event is recorded: a refund's with its payment. */
function placeOf({ merchantId: merchant, orderNo, paymentId }: ReceiptEntry): object {
  return orderNo === undefined ? { merchant, payment: paymentId } : { merchant, order: orderNo };
}
