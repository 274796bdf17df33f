import type { Outage } from "../../lab/lab.ts";
import type { LabView } from "../../routes/lab-routes.ts";
import { send } from "../api.ts";
import { SwitchState, useSwitching } from "../parts/buttons.tsx";
import { useStack } from "../stack.ts";
import { serviceNames } from "./broken-things.tsx";

const outages: readonly { readonly service: Outage; readonly effect: string }[] = [
  {
    service: "sqs",
    effect:
      "Callbacks are answered 503, and the service sends them again. What was being processed comes back after three minutes.",
  },
  {
    service: "dynamodb",
    effect: "Callbacks are accepted and wait in the inbox. No order can be made.",
  },
];

/** Takes services and queues away from the functions. The console itself goes on seeing everything. */
export function SwitchesCard({ lab }: { readonly lab: LabView }) {
  const { brokenSubscribers, outages: out } = lab.breakage;
  return (
    <section class="card">
      <h2>Take something away from Paycast</h2>
      <ul class="switches">
        {useStack().subscribers.map((name) => (
          <Switch
            key={name}
            lab={lab}
            label={`The queue of ${name} refuses every event`}
            effect="As a deleted queue does: its events wait, the other subscribers get theirs."
            isOn={brokenSubscribers.includes(name)}
            set={(isBroken) => send("/api/lab/queues", { subscriber: name, isBroken })}
          />
        ))}
        {outages.map(({ service, effect }) => (
          <Switch
            key={service}
            lab={lab}
            label={`${serviceNames[service]} refuses every call`}
            effect={effect}
            isOn={out.includes(service)}
            set={(isOn) => send("/api/lab/outages", { service, isOn })}
          />
        ))}
      </ul>
    </section>
  );
}

interface SwitchProps {
  readonly lab: LabView;
  /** A sentence that is true if the switch is on. */
  readonly label: string;
  readonly effect: string;
  readonly isOn: boolean;
  readonly set: (isOn: boolean) => Promise<unknown>;
}

function Switch({ lab, label, effect, isOn, set }: SwitchProps) {
  const { ask, ...state } = useSwitching<boolean>(lab);
  return (
    <li>
      <div>
        <h3>{label}</h3>
        <p class="quiet">{effect}</p>
      </div>
      <div class="buttons">
        <SwitchState {...state} />
        <button
          type="button"
          class="switch"
          role="switch"
          aria-checked={isOn}
          aria-label={label}
          aria-disabled={state.wanted !== undefined}
          onClick={() => ask(!isOn, () => set(!isOn))}
        >
          {isOn ? "on" : "off"}
        </button>
      </div>
    </li>
  );
}
