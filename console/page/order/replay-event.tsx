import type { ReceiptEntry } from "../../../operations/timeline/receipt-entry.ts";
import { counted } from "../../../shared/counted.ts";
import type { ReplayPreview } from "../../routes/replay-routes.ts";
import type { StackView } from "../../routes/stack-routes.ts";
import { Details } from "../parts/details.tsx";
import { PreviewButton } from "../parts/preview-button.tsx";
import { ReadOnly } from "../parts/read-only.tsx";
import { addressOf } from "../router.tsx";
import { ReplayText } from "../subscriber/replay-preview.tsx";

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
              <PreviewButton<ReplayPreview>
                key={name}
                label={name}
                previewPath={addressOf(["api", "subscribers", name, "replay", "preview"])}
                body={() => ({ ...placeOf(receipt), merchantId: receipt.merchantId, eventId })}
                path="/api/replays"
                title={`Replay to ${name}`}
                yes={({ count }) =>
                  count === 0 || !stack.canChange ? undefined : `Send ${counted(count, "event")}`
                }
              >
                {(preview) => <ReplayText preview={preview} name={name} />}
              </PreviewButton>
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
