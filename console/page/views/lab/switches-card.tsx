import type { Breakage, Outage } from "../../../lab/lab.ts";
import { send } from "../../api.ts";
import { ActionButton } from "../../parts/action-button.tsx";
import { Badge } from "../../parts/small.tsx";
import { serviceNames } from "./broken-things.tsx";

interface SwitchesCardProps {
  readonly breakage: Breakage;
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
export function SwitchesCard({ breakage, subscribers }: SwitchesCardProps) {
  return (
    <section class="card">
      <h2>Take something away from Paycast</h2>
      <ul class="switches">
        {subscribers.map((name) => (
          <Switch
            key={name}
            name={`Queue of ${name}`}
            effect="Refuses every event, as a deleted queue does."
            isBroken={breakage.brokenSubscribers.includes(name)}
            set={(isBroken) => send("/api/lab/queues", { subscriber: name, isBroken })}
          />
        ))}
        {outages.map(({ service, effect }) => (
          <Switch
            key={service}
            name={serviceNames[service]}
            effect={effect}
            isBroken={breakage.outages.includes(service)}
            set={(isOn) => send("/api/lab/outages", { service, isOn })}
          />
        ))}
      </ul>
    </section>
  );
}

interface SwitchProps {
  readonly name: string;
  readonly effect: string;
  readonly isBroken: boolean;
  readonly set: (isBroken: boolean) => Promise<unknown>;
}

function Switch({ name, effect, isBroken, set }: SwitchProps) {
  const verb = isBroken ? "Restore" : "Break";
  return (
    <li>
      <div>
        <h3>
          {name} <Badge tone={isBroken ? "bad" : "good"}>{isBroken ? "broken" : "works"}</Badge>
        </h3>
        <p class="quiet">{effect}</p>
      </div>
      <ActionButton class="small" label={`${verb}: ${name}`} act={() => set(!isBroken)}>
        {verb}
      </ActionButton>
    </li>
  );
}
