import type { ComponentChildren } from "preact";
import { reasonWords } from "../../../operations/reason-words.ts";
import type { SeparateAttempt } from "../../../operations/timeline/whole-timeline.ts";
import { Badge, Id, type Tone } from "../parts/elements.tsx";
import { Clock } from "../parts/time.tsx";
import { SendAgain } from "./order-actions.tsx";

interface AttemptStepProps {
  readonly attempt: SeparateAttempt;
  /** More than one if the same attempt was repeated with nothing in between. */
  readonly times: readonly string[];
}

/** A request without a receipt: a rejected callback, a repeated one, or one that is not processed yet. */
export function AttemptStep({ attempt, times }: AttemptStepProps) {
  const { outcome, callbackId, at } = attempt;
  const count = times.length === 1 ? "" : `, ${times.length} times`;
  const isOpen = isUnprocessed(attempt);
  const { tone, title } = isOpen ? lookOfUnprocessed(attempt) : attemptLooks[outcome];
  return (
    <Step at={at} tone={tone} title={`${title}${count}`}>
      <AttemptAnswer attempt={attempt} />
      <Faults faults={attempt.faults} />
      {callbackId !== undefined && (
        <p>
          {attempt.isAuthentic || outcome === "no-answer" ? "Callback" : "Claims to be callback"}{" "}
          <Id text={callbackId} what="callback id" />
        </p>
      )}
      {times.length > 1 && <Times times={times} />}
      {outcome !== "accepted" && <SendAgain callbackId={callbackId} />}
    </Step>
  );
}

function isUnprocessed({ outcome, isRecorded }: SeparateAttempt): boolean {
  return outcome === "accepted" && !isRecorded;
}

interface AttemptLook {
  readonly tone: Tone;
  readonly title: string;
}

function lookOfUnprocessed({ recordedUnder }: SeparateAttempt): AttemptLook {
  return recordedUnder === undefined
    ? { tone: "open", title: "Callback accepted, not processed" }
    : { tone: "plain", title: "Callback accepted, under the shortened number" };
}

const attemptLooks: Readonly<Record<SeparateAttempt["outcome"], AttemptLook>> = {
  accepted: { tone: "plain", title: "The same callback again" },
  "not-authentic": { tone: "bad", title: "Callback rejected: not authentic" },
  "not-an-envelope": { tone: "bad", title: "Callback rejected: not a callback" },
  "source-not-allowed": { tone: "bad", title: "Callback rejected: source address not allowed" },
  "too-large": { tone: "bad", title: "Callback rejected: too large" },
  "not-stored": { tone: "bad", title: "Callback not stored" },
  "no-answer": { tone: "open", title: "Callback without a response" },
  "not-logged": { tone: "open", title: "Callback attempt" },
};

/** The response, and the reason that the sender does not see. */
function AttemptAnswer({ attempt }: { readonly attempt: SeparateAttempt }) {
  const { httpStatus, reason, detail, keyStage, durationMilliseconds, outcome } = attempt;
  const isGood = httpStatus === 200;
  const why = outcome === "accepted" ? undefined : (reasonWords(reason) ?? detail);
  return (
    <p>
      <Badge tone={isGood ? "good" : "bad"}>{httpStatus ?? "no response"}</Badge>{" "}
      <span class="quiet">in {durationMilliseconds} ms</span>
      {keyStage !== undefined && <span class="quiet">, verified by the {keyStage} keys</span>}
      {reason !== undefined && (
        <>
          {" "}
          <code>{reason}</code>
        </>
      )}
      {why !== undefined && ` ${why}`}
      {outcome === "accepted" && <span class="quiet">{whatFollows(attempt)}</span>}
    </p>
  );
}

function whatFollows(attempt: SeparateAttempt): string {
  if (isUnprocessed(attempt) && attempt.recordedUnder !== undefined) {
    return `. It names order ${attempt.recordedUnder} and is recorded there.`;
  }
  return isUnprocessed(attempt)
    ? ". It is in the inbox, or Paycast could not understand it."
    : ". Already recorded, nothing to do.";
}

function Faults({ faults }: { readonly faults: readonly string[] }) {
  if (faults.length === 0) return null;
  return <p class="quiet">Faults injected by the local payment service: {faults.join(", ")}.</p>;
}

function Times({ times }: { readonly times: readonly string[] }) {
  return (
    <details>
      <summary>When</summary>
      <p class="number times">
        {times.map((at, index) => (
          <span key={index}>
            <Clock at={at} />{" "}
          </span>
        ))}
      </p>
    </details>
  );
}

interface StepProps {
  readonly at: string;
  readonly tone: Tone;
  readonly title: ComponentChildren;
  readonly children?: ComponentChildren;
}

/** One step of the timeline: its time, title and details. */
export function Step({ at, tone, title, children }: StepProps) {
  return (
    <li class={`step ${tone}`}>
      <span class="step-time number quiet">
        <Clock at={at} />
      </span>
      <div class="step-body">
        <h3>{title}</h3>
        {children}
      </div>
    </li>
  );
}
