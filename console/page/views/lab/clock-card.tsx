import type { ServiceClock } from "../../../../operations/calling/service-control.ts";
import { send } from "../../api.ts";
import { ActionButton } from "../../parts/action-button.tsx";

const speeds = [0, 1, 10, 60, 600];
const steps = [
  { seconds: 60, name: "1 minute" },
  { seconds: 600, name: "10 minutes" },
  { seconds: 3_600, name: "1 hour" },
  { seconds: 86_400, name: "1 day" },
];

/** Expiry, processing and retries happen by this clock. */
export function ClockCard({ clock }: { readonly clock: ServiceClock }) {
  return (
    <section class="card">
      <h2>The payment service's clock</h2>
      <p>
        <strong>{describeSpeed(clock.speed)}</strong>{" "}
        <span class="quiet">
          Retries, expiry and processing follow it. Paycast's own clock is never changed.
        </span>
      </p>
      <Speeds now={clock.speed} />
      <Steps />
      <fieldset class="buttons">
        <legend class="quiet">Reconciliation runs every minute of real time</legend>
        <ActionButton class="small" act={() => send("/api/lab/reconcile")}>
          Run it now
        </ActionButton>
      </fieldset>
    </section>
  );
}

function Speeds({ now }: { readonly now: number }) {
  return (
    <fieldset class="buttons">
      <legend class="quiet">Speed</legend>
      {speeds.map((speed) => (
        <ActionButton
          key={speed}
          class="small"
          isChosen={speed === now}
          act={() => send("/api/lab/clock", { speed })}
        >
          {speed === 0 ? "Stop" : `${speed} ×`}
        </ActionButton>
      ))}
    </fieldset>
  );
}

function Steps() {
  return (
    <fieldset class="buttons">
      <legend class="quiet">Step forward</legend>
      {steps.map(({ seconds, name }) => (
        <ActionButton
          key={seconds}
          class="small"
          label={`Step forward: ${name}`}
          act={() => send("/api/lab/clock", { stepSeconds: seconds })}
        >
          {name}
        </ActionButton>
      ))}
    </fieldset>
  );
}

function describeSpeed(speed: number): string {
  if (speed === 0) return "It stands still.";
  return speed === 1 ? "It runs in real time." : `It runs ${speed} times as fast as real time.`;
}
