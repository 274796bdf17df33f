import type { ServiceClock } from "../../../operations/calling/service-control.ts";
import { send } from "../api.ts";
import { ActionButton } from "../parts/buttons.tsx";
import { DateTime, describeAhead, describePace, useServiceClock } from "../parts/time.tsx";

const speeds = [0, 1, 10, 60, 600, 3_600];
const steps = [
  { seconds: 60, name: "1 minute" },
  { seconds: 600, name: "10 minutes" },
  { seconds: 3_600, name: "1 hour" },
  { seconds: 86_400, name: "1 day" },
  { seconds: 604_800, name: "7 days" },
];

/** Expiry, processing and retries happen by this clock. */
export function ClockCard({ clock }: { readonly clock: ServiceClock }) {
  return (
    <section class="card">
      <h2>The payment service's clock</h2>
      <Reading clock={clock} />
      <p class="quiet">
        Retries, expiry and processing follow it. Paycast's own clock is never changed.
      </p>
      <Speeds now={clock.speed} />
      <Steps />
      <fieldset class="buttons">
        <legend class="quiet">Paycast asks about overdue orders every minute of real time</legend>
        <ActionButton class="small" act={() => send("/api/lab/reconcile")}>
          Ask now
        </ActionButton>
      </fieldset>
    </section>
  );
}

function Reading({ clock }: { readonly clock: ServiceClock }) {
  const { at, aheadSeconds } = useServiceClock(clock);
  const ahead = describeAhead(aheadSeconds);
  return (
    <div class="line clock-reading">
      <span>
        <strong class="number">
          <DateTime at={at} />
        </strong>{" "}
        {ahead ?? "agrees with real time"}, {describePace(clock.speed)}
      </span>
      {ahead !== undefined && (
        <ActionButton class="small push" act={() => send("/api/lab/clock", { aheadSeconds: 0 })}>
          Back to now
        </ActionButton>
      )}
    </div>
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
