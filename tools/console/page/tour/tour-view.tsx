import type { Claim, Evidence, StepRun, TourRun } from "../../tour/play-scenario.ts";
import type { TourView as Tour, TourCard } from "../../tour/tour.ts";
import { send } from "../api.ts";
import { ActionButton } from "../parts/buttons.tsx";
import { Badge } from "../parts/elements.tsx";
import { Shown } from "../parts/states.tsx";
import { addressOf, Link } from "../router.tsx";
import { useView } from "../use-view.ts";

/** Six scenarios on the running stack, each with a proof from the stack's own data. */
export function TourView() {
  const tour = useView<Tour>("/api/tour");
  return (
    <>
      <h1>Tour</h1>
      <p class="lead">
        Each scenario runs on this stack with orders of its own, and ends with what it found in the
        queues, tables and logs.
      </p>
      <Shown view={tour} what="the tour">
        {(data) => (
          <>
            <p class="buttons tour-buttons">
              <ActionButton
                class="primary"
                disabled={data.isRunning}
                act={() => send("/api/tour/start")}
              >
                Play all
              </ActionButton>
              {data.isRunning && (
                <ActionButton act={() => send("/api/tour/stop")}>Stop</ActionButton>
              )}
            </p>
            <ol class="tour">
              {data.cards.map((card) => (
                <ScenarioCard key={card.name} card={card} isRunning={data.isRunning} />
              ))}
            </ol>
          </>
        )}
      </Shown>
    </>
  );
}

interface ScenarioCardProps {
  readonly card: TourCard;
  readonly isRunning: boolean;
}

function ScenarioCard({ card, isRunning }: ScenarioCardProps) {
  const { name, title, summary, run, isNext } = card;
  return (
    <li class={`card scenario ${run?.state ?? ""}`} data-scenario={name}>
      <div class="line">
        <h2>{title}</h2>
        <CardState run={run} isNext={isNext} />
        <span class="push">
          <ActionButton
            class="small"
            label={`Play: ${title}`}
            disabled={isRunning}
            act={() => send(`/api/tour/${name}/start`)}
          >
            Play
          </ActionButton>
        </span>
      </div>
      <p class="quiet">{summary}</p>
      <div aria-live="polite">{run?.endedAt !== undefined && <Result run={run} />}</div>
      {run !== undefined && run.steps.length > 0 && <Steps run={run} />}
    </li>
  );
}

const states = {
  running: { tone: "open", text: "running" },
  proven: { tone: "good", text: "proven" },
  failed: { tone: "bad", text: "not proven" },
  stopped: { tone: "plain", text: "stopped" },
} as const;

function CardState({ run, isNext }: Pick<TourCard, "run" | "isNext">) {
  if (isNext) return <Badge>next</Badge>;
  if (run === undefined) return null;
  const { tone, text } = states[run.state];
  return <Badge tone={tone}>{text}</Badge>;
}

function Result({ run: { state, proof, problem } }: { readonly run: TourRun }) {
  if (state === "stopped") return <p class="quiet">Stopped, and its changes are undone.</p>;
  return (
    <div class={`notice ${state === "proven" ? "good" : "bad"}`}>
      <p>
        <strong>{proof?.sentence ?? problem}</strong>
      </p>
      {proof !== undefined && <Claims claims={proof.claims} />}
    </div>
  );
}

function Claims({ claims }: { readonly claims: readonly Claim[] }) {
  return (
    <ul class="claims">
      {claims.map(({ claim, found, holds }) => (
        <li key={claim} class={holds ? "" : "bad-text"}>
          <span class={`claim-mark ${holds ? "good" : "bad"}-text`} aria-hidden="true">
            {holds ? "✓" : "✗"}
          </span>
          <span>
            {claim}{" "}
            <span class="found">
              {holds ? `Found: ${found}` : `Does not hold. Found: ${found}`}
            </span>
          </span>
        </li>
      ))}
    </ul>
  );
}

/** The steps are open while the scenario runs. Afterwards the result matters more. */
function Steps({ run }: { readonly run: TourRun }) {
  const list = (
    <ol class="steps">
      {run.steps.map((step) => (
        <StepRow key={step.title} step={step} />
      ))}
    </ol>
  );
  if (run.endedAt === undefined) return list;
  return (
    <details open={run.state === "failed"}>
      <summary>What happened, step by step ({took(run)})</summary>
      {list}
    </details>
  );
}

function took({ startedAt, endedAt }: TourRun): string {
  const milliseconds = Date.parse(endedAt ?? startedAt) - Date.parse(startedAt);
  return `${(milliseconds / 1000).toFixed(1)} s`;
}

const marks = {
  waiting: ["○", "lead"],
  running: ["◐", "plain-text"],
  done: ["✓", "good-text"],
  stopped: ["■", "lead"],
  failed: ["✗", "bad-text"],
} as const;

function StepRow({ step: { title, state, evidence } }: { readonly step: StepRun }) {
  const [mark, look] = marks[state];
  return (
    <li class={`tour-step ${state}`}>
      <span class={`mark ${look}`} aria-hidden="true">
        {mark}
      </span>
      <div>
        <p>
          {title} <span class="hidden">({state})</span>
        </p>
        {evidence.map((seen) => (
          <Seen key={seen.text} evidence={seen} />
        ))}
      </div>
    </li>
  );
}

/** The order number links to its timeline. */
function Seen({ evidence: { text, order } }: { readonly evidence: Evidence }) {
  if (order === undefined) return <p class="quiet">{text}</p>;
  const { orderNo, merchantId } = order;
  const to = addressOf(["orders", orderNo], { merchant: merchantId });
  const [before = "", ...after] = text.split(orderNo);
  if (after.length === 0) {
    return (
      <p class="quiet">
        {text} <Link to={to}>Timeline</Link>
      </p>
    );
  }
  return (
    <p class="quiet">
      {before}
      <Link to={to}>{orderNo}</Link>
      {after.join(orderNo)}
    </p>
  );
}
