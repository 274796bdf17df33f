import type { Outage } from "../../lab/lab.ts";
import type { LabView } from "../../routes/lab-routes.ts";
import { send } from "../api.ts";
import { Switch } from "../parts/buttons.tsx";
import { serviceNames } from "./broken-things.tsx";

interface SwitchesCardProps {
  readonly lab: LabView;
  readonly subscribers: readonly string[];
}

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
export function SwitchesCard({ lab, subscribers }: SwitchesCardProps) {
  const { brokenSubscribers, outages: out } = lab.breakage;
  return (
    <section class="card">
      <h2>Take something away from Paycast</h2>
      <ul class="switches">
        {subscribers.map((name) => (
          <Row
            key={name}
            lab={lab}
            title={`The queue of ${name} refuses every event`}
            effect="As a deleted queue does: its events wait, the other subscribers get theirs."
            isOn={brokenSubscribers.includes(name)}
            set={(isBroken) => send("/api/lab/queues", { subscriber: name, isBroken })}
          />
        ))}
        {outages.map(({ service, effect }) => (
          <Row
            key={service}
            lab={lab}
            title={`${serviceNames[service]} refuses every call`}
            effect={effect}
            isOn={out.includes(service)}
            set={(isOn) => send("/api/lab/outages", { service, isOn })}
          />
        ))}
      </ul>
    </section>
  );
}

interface RowProps {
  readonly lab: LabView;
  readonly title: string;
  readonly effect: string;
  readonly isOn: boolean;
  readonly set: (isOn: boolean) => Promise<unknown>;
}

function Row({ lab, title, effect, isOn, set }: RowProps) {
  return (
    <li>
      <div>
        <h3>{title}</h3>
        <p class="quiet">{effect}</p>
      </div>
      <Switch label={title} isOn={isOn} view={lab} set={set} />
    </li>
  );
}
