import { Fragment } from "preact";
import { useState } from "preact/hooks";
import { kindWords } from "../../../../shared/attention/kind-words.ts";
import type { NoticeEntry, TimelineEntry } from "../../../operations/timeline/order-timeline.ts";
import type {
  SeparateAttempt,
  WholeTimeline,
} from "../../../operations/timeline/whole-timeline.ts";
import { Id, Outside, type Tone } from "../parts/elements.tsx";
import { timeZone } from "../parts/time.tsx";
import { AttemptStep, Step } from "./attempt-step.tsx";
import { ReceiptStep } from "./receipt-step.tsx";

type Entry = TimelineEntry | SeparateAttempt;

/** Consecutive attempts of the same callback with the same outcome are one step with a count. */
interface Repeated {
  readonly entry: Entry;
  readonly times: readonly string[];
}

/** A browser takes seconds to render thousands of steps. */
const stepsAtOnce = 100;

/** An order's entries, newest first, limited so that the page stays fast. */
export function Timeline({ entries }: Pick<WholeTimeline, "entries">) {
  const [most, setMost] = useState(stepsAtOnce);
  const steps = fold(entries).reverse();
  const older = steps.length - most;
  return (
    <>
      <Steps steps={steps.slice(0, most)} />
      {older > 0 && (
        <button type="button" onClick={() => setMost(most + stepsAtOnce)}>
          Show {Math.min(older, stepsAtOnce)} of {older} older steps
        </button>
      )}
    </>
  );
}

/** Adds a heading for each day. */
function Steps({ steps }: { readonly steps: readonly Repeated[] }) {
  return (
    <ol class="timeline">
      {steps.map(({ entry, times }, index) => {
        const day = dayOf(entry.at);
        const before = steps[index - 1];
        const isNewDay = before === undefined || dayOf(before.entry.at) !== day;
        return (
          <Fragment key={keyOf(entry)}>
            {isNewDay && <li class="day quiet">{day}</li>}
            <EntryStep entry={entry} times={times} />
          </Fragment>
        );
      })}
    </ol>
  );
}

function dayOf(at: string): string {
  return `${new Date(at).toLocaleDateString("en-GB", { dateStyle: "full", timeZone })}, UTC`;
}

function keyOf(entry: Entry): string {
  const id = "callbackId" in entry ? entry.callbackId : "";
  return `${entry.kind} ${entry.at} ${id}`;
}

function fold(entries: readonly Entry[]): Repeated[] {
  const folded: Repeated[] = [];
  for (const entry of entries) {
    const last = folded.at(-1);
    if (last !== undefined && isRepeat(last.entry, entry)) {
      folded[folded.length - 1] = { entry: last.entry, times: [...last.times, entry.at] };
    } else folded.push({ entry, times: [entry.at] });
  }
  return folded;
}

function isRepeat(left: Entry, right: Entry): boolean {
  if (left.kind !== "callback-attempt" || right.kind !== "callback-attempt") return false;
  const { callbackId, outcome, reason } = left;
  return callbackId === right.callbackId && outcome === right.outcome && reason === right.reason;
}

function EntryStep({ entry, times }: Repeated) {
  switch (entry.kind) {
    case "attempt":
      return (
        <Step at={entry.at} tone={creationTones[entry.state]} title={creationTitle(entry)}>
          {entry.refusal !== undefined && (
            <p>
              <code>{entry.refusal.code}</code> <Outside text={entry.refusal.msg} />
            </p>
          )}
          {entry.paymentId !== undefined && (
            <p>
              Payment <Id text={entry.paymentId} what="payment id" />
            </p>
          )}
        </Step>
      );
    case "notice":
      return <NoticeStep notice={entry} />;
    case "receipt":
      return <ReceiptStep receipt={entry} />;
    case "callback-attempt":
      return <AttemptStep attempt={entry} times={times} />;
  }
}

function NoticeStep({ notice: entry }: { readonly notice: NoticeEntry }) {
  const { at, notice, state, amount, transactionId } = entry;
  const { title, means } = kindWords[notice];
  const isOpen = state === "open";
  return (
    <Step
      at={at}
      tone={isOpen ? "bad" : "plain"}
      title={isOpen ? `Notice: ${title}` : `Notice, ${state}: ${title}`}
    >
      <p>{means}</p>
      {amount !== undefined && <p>{amount}</p>}
      {transactionId !== undefined && (
        <p>
          Transaction <Id text={transactionId} what="transaction" />
        </p>
      )}
    </Step>
  );
}

function creationTitle({ state, refusal }: Extract<Entry, { kind: "attempt" }>): string {
  return refusal === undefined ? creationTitles[state] : "The payment service rejected the order";
}

const creationTitles = {
  sending: "Sent to the payment service, no response yet",
  created: "Created at the payment service",
  incomplete: "Created at the payment service, but its response is incomplete",
  refused: "Rejected by the payment service, or not sent",
  unknown: "Sent to the payment service, outcome unknown",
};

const creationTones: Readonly<Record<keyof typeof creationTitles, Tone>> = {
  sending: "open",
  created: "plain",
  incomplete: "bad",
  refused: "bad",
  unknown: "open",
};
