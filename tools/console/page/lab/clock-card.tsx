import type { LabView as Lab } from "../../routes/lab-routes.ts";
import { send } from "../api.ts";
import { ActionButton } from "../parts/buttons.tsx";
import {
  DateTime,
  describeAhead,
  describeService,
  useNow,
  useServiceAhead,
} from "../parts/time.tsx";

const speeds = [0, 1, 10, 60, 600, 3_600];
const jumps = [
  { seconds: 60, name: "1 minute" },
  { seconds: 600, name: "10 minutes" },
  { seconds: 3_600, name: "1 hour" },
  { seconds: 86_400, name: "1 day" },
  { seconds: 604_800, name: "7 days" },
];

interface ClockProps {
  readonly clock: Lab["clock"];
}

/** Moves the clock of the whole stack, or changes the speed of the payment service's own. */
export function ClockCard({ clock }: ClockProps) {
  return (
    <section class="card">
      <h2>Clock</h2>
      <StackTime clock={clock} />
      <p class="quiet">
        A jump moves the whole stack forward: functions, queues, schedules and the payment service.
        Everything that becomes due happens. You cannot undo a jump.
      </p>
      <Jumps />
      <Speeds clock={clock} />
      <fieldset class="buttons">
        <legend class="quiet">Paycast queries overdue orders every minute</legend>
        <ActionButton class="small" act={() => send("/api/lab/reconcile")}>
          Query now
        </ActionButton>
      </fieldset>
    </section>
  );
}

function StackTime({ clock }: ClockProps) {
  return (
    <p class="clock-reading">
      <strong class="number">
        <DateTime at={new Date(useNow()).toISOString()} />
      </strong>{" "}
      {describeAhead(clock.stackAheadSeconds, "real time") ?? "in sync with real time"}
    </p>
  );
}

/**
 * Expiry, processing and retries at the payment service follow its own clock, which can run faster than the stack's.
 */
function Speeds({ clock: { service } }: ClockProps) {
  const aheadSeconds = useServiceAhead(service);
  return (
    <fieldset class="buttons">
      <legend class="quiet">
        The payment service {describeService(service, aheadSeconds) ?? "is in sync with the stack"}
      </legend>
      {speeds.map((speed) => (
        <ActionButton
          key={speed}
          class="small"
          isChosen={speed === service.speed}
          act={() => send("/api/lab/clock", { speed })}
        >
          {speed === 0 ? "Stop" : `${speed} ×`}
        </ActionButton>
      ))}
      {Math.abs(aheadSeconds) >= 1 && (
        <ActionButton class="small" act={() => send("/api/lab/clock", { aheadSeconds: 0 })}>
          Sync with the stack
        </ActionButton>
      )}
    </fieldset>
  );
}

function Jumps() {
  return (
    <fieldset class="buttons">
      <legend class="quiet">Jump forward</legend>
      {jumps.map(({ seconds, name }) => (
        <ActionButton
          key={seconds}
          class="small"
          label={`Jump forward: ${name}`}
          act={() => send("/api/lab/jump", { seconds })}
        >
          {name}
        </ActionButton>
      ))}
    </fieldset>
  );
}
