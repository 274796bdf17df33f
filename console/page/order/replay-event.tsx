import type { ReceiptEntry } from "../../../operations/timeline/receipt-entry.ts";
import { ChangeButton } from "../parts/buttons.tsx";
import { Details } from "../parts/small.tsx";
import { ReadOnly } from "../parts/states.tsx";
import { useStack } from "../stack.ts";

interface ReplayEventProps {
  readonly receipt: ReceiptEntry;
  readonly eventId: string;
}

/** Sends this one event to a subscriber again. */
export function ReplayEvent({ receipt, eventId }: ReplayEventProps) {
  const { subscribers } = useStack();
  return (
    <Details summary="Send it again to …">
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

/** Where the event is recorded: a refund's with its payment. */
function placeOf({ merchantId: merchant, orderNo, paymentId }: ReceiptEntry): object {
  return orderNo === undefined ? { merchant, payment: paymentId } : { merchant, order: orderNo };
}
