import { reasonText } from "../../../operations/reason-words.ts";
import { deliveryText } from "../../../operations/timeline/open-problems.ts";
import type { Delivery, ReceiptEntry } from "../../../operations/timeline/receipt-entry.ts";
import { Badge, Details, Id, Status, statusTone, type Tone } from "../parts/elements.tsx";
import { FlagList } from "../parts/flags.tsx";
import { Json, Payload } from "../parts/json.tsx";
import { Clock, clockText, DateTime, wholeTime } from "../parts/time.tsx";
import { addressOf, Link } from "../router.tsx";
import { Step } from "./attempt-step.tsx";
import { ReplayEvent, SendAgain } from "./order-actions.tsx";

interface ReceiptStepProps {
  readonly receipt: ReceiptEntry;
}

/** A recorded callback, or a query result with news. */
export function ReceiptStep({ receipt }: ReceiptStepProps) {
  return (
    <Step at={receipt.at} tone={toneOf(receipt)} title={titleOf(receipt)}>
      <ReceiptOutcome receipt={receipt} />
      <FlagList flags={flagsOf(receipt)} />
      <Answered receipt={receipt} />
      {receipt.published && <Deliveries receipt={receipt} of={receipt.published.deliveries} />}
      <Contents receipt={receipt} />
      {receipt.origin === "callback" && <SendAgain callbackId={receipt.callbackId} />}
    </Step>
  );
}

function toneOf({ outcome, statusAfter, published }: ReceiptEntry): Tone {
  if (outcome === "quarantined") return "bad";
  if (published?.deliveries.some(({ state }) => state === "given-up")) return "bad";
  if (published?.deliveries.some(({ state }) => state === "waiting")) return "open";
  if (outcome === "known-fact") return "plain";
  return statusTone(statusAfter ?? "");
}

function titleOf({ origin, type, quarantined }: ReceiptEntry): string {
  const what = origin === "callback" ? "Callback" : "Query result";
  return quarantined === undefined ? `${what}: ${type}` : `${what} not understood`;
}

function flagsOf({ flags, isConflict }: ReceiptEntry): readonly string[] {
  return isConflict && !flags.includes("conflict") ? ["conflict", ...flags] : flags;
}

function ReceiptOutcome({ receipt }: ReceiptStepProps) {
  const { quarantined, outcome, about, statusBefore, statusAfter, callbackId } = receipt;
  if (quarantined !== undefined) {
    return (
      <p>
        {reasonText(quarantined.reason)}. <code>{quarantined.reason}</code>{" "}
        <span class="quiet">{quarantined.detail}</span>{" "}
        {quarantined.since === undefined ? (
          <span class="quiet">dismissed</span>
        ) : (
          <Link to={addressOf(["attention"], { text: callbackId })}>Show details</Link>
        )}
      </p>
    );
  }
  if (outcome === "known-fact") {
    return <p>Already known, so nothing was published.</p>;
  }
  if (statusAfter === undefined) return null;
  const subject = about === "order" ? "Order" : "Refund";
  return (
    <p class="line change">
      <span class="quiet">{subject}</span>
      {statusBefore === statusAfter ? (
        <>
          stays <Status status={statusAfter} />
        </>
      ) : (
        <>
          {statusBefore !== undefined && (
            <>
              <Status status={statusBefore} />
              <span aria-hidden="true">→</span>
              <span class="hidden">became</span>
            </>
          )}
          <Status status={statusAfter} />
        </>
      )}
    </p>
  );
}

/** The response to the callback. */
function Answered({ receipt }: ReceiptStepProps) {
  const { answered, callbackId, origin } = receipt;
  if (origin === "query") return null;
  return (
    <p>
      {answered !== undefined && (
        <>
          <Badge tone="good">{answered.httpStatus}</Badge>{" "}
          <span class="quiet">
            in {answered.durationMilliseconds} ms, verified by the {answered.keyStage} keys
          </span>{" "}
        </>
      )}
      {callbackId !== undefined && <Id text={callbackId} what="callback id" />}
    </p>
  );
}

interface DeliveriesProps {
  readonly receipt: ReceiptEntry;
  readonly of: readonly Delivery[];
}

const marks: Readonly<Record<Delivery["state"], string>> = {
  sent: "✓",
  waiting: "…",
  "given-up": "✗",
  dismissed: "–",
};

function Deliveries({ receipt: { orderNo }, of: deliveries }: DeliveriesProps) {
  if (deliveries.length === 0) return <p class="quiet">No subscriber receives this event type.</p>;
  const isOpen = deliveries.some(({ state }) => state === "waiting" || state === "given-up");
  return (
    <>
      <ul class="deliveries" aria-label="Deliveries">
        {deliveries.map((delivery) => (
          <DeliveryItem key={delivery.subscriber} delivery={delivery} />
        ))}
      </ul>
      {isOpen && (
        <p>
          <Link to={addressOf(["attention"], { order: orderNo })}>Show details</Link>
        </p>
      )}
    </>
  );
}

/** An immediate delivery shows only its time. Every other state has words. */
function DeliveryItem({ delivery }: { readonly delivery: Delivery }) {
  const { subscriber, state, at, late, deadLetters } = delivery;
  const isUsual = state === "sent" && late === undefined && deadLetters === undefined;
  const textOf = state === "sent" ? clockText : wholeTime;
  return (
    <li class={state === "sent" && !isUsual ? "waiting" : state}>
      <span aria-hidden="true">{deadLetters === undefined ? marks[state] : "!"}</span>
      <Link to={addressOf(["subscribers", subscriber])}>{subscriber}</Link>
      {isUsual && at !== undefined ? (
        <>
          <span class="hidden">delivered</span>
          <span class="quiet">
            <Clock at={at} />
          </span>
        </>
      ) : (
        <span class={isUsual ? "hidden" : ""}>{deliveryText(delivery, textOf)}</span>
      )}
    </li>
  );
}

/** What was received and what was sent, verbatim. */
function Contents({ receipt }: ReceiptStepProps) {
  const { published, payload, keyVersion, recordedAt, factId } = receipt;
  return (
    <div class="contents">
      <Details summary="Payload from the payment service">
        {() => (
          <>
            <Payload payload={payload} />
            {keyVersion !== undefined && (
              <p class="quiet">
                Decrypted with key version <Id text={keyVersion} what="key version" /> and recorded
                at <DateTime at={recordedAt} />.
              </p>
            )}
          </>
        )}
      </Details>
      {published !== undefined ? (
        <>
          <Details summary={`Event ${published.sequence}`}>
            {() => (
              <>
                <p class="quiet">
                  Event id <Id text={published.eventId} what="event id" />
                </p>
                <Json value={published.event} what="event" />
              </>
            )}
          </Details>
          <ReplayEvent receipt={receipt} eventId={published.eventId} />
        </>
      ) : (
        factId !== undefined && (
          <p class="quiet">
            Published as event <Id text={factId} what="event id" />
          </p>
        )
      )}
    </div>
  );
}
