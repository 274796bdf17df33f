import type { ComponentChildren } from "preact";
import type { Consumer, Outage } from "../../console-context.ts";
import type { LabView } from "../../routes/lab-routes.ts";
import { send } from "../api.ts";
import { ActionProblem, type Switching, useSwitching } from "../parts/buttons.tsx";
import { addressOf, Link } from "../router.tsx";
import { useStack } from "../use-view.ts";
import { serviceNames } from "./faults-card.tsx";

const outages: readonly { readonly service: Outage; readonly effect: string }[] = [
  {
    service: "sqs",
    effect:
      "Paycast returns 503 to callbacks, and the payment service sends them again. A message in progress returns to the queue after three minutes.",
  },
  {
    service: "dynamodb",
    effect: "Callbacks are accepted and wait in the inbox. Orders cannot be created.",
  },
];

/** Makes services and queues unavailable to the functions. The console can still read everything. */
export function SwitchesCard({ lab }: { readonly lab: LabView }) {
  const { brokenSubscribers, outages: out } = lab.breakage;
  return (
    <section class="card">
      <h2>Outages</h2>
      <ul class="switches">
        {useStack().subscribers.map((name) => (
          <Switch
            key={name}
            lab={lab}
            label={`The queue of ${name} rejects every event`}
            effect="Like a deleted queue: its events wait, and the other subscribers get theirs."
            isOn={brokenSubscribers.includes(name)}
            set={(isBroken) => send("/api/lab/queues", { subscriber: name, isBroken })}
          />
        ))}
        {outages.map(({ service, effect }) => (
          <Switch
            key={service}
            lab={lab}
            label={`${serviceNames[service]} rejects every call`}
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
  /** A sentence that is true while the switch is on. */
  readonly label: string;
  readonly effect: string;
  readonly isOn: boolean;
  readonly set: (isOn: boolean) => Promise<unknown>;
}

function Switch({ lab, label, effect, isOn, set }: SwitchProps) {
  const { ask, ...state } = useSwitching<boolean>(lab);
  return (
    <SwitchRow title={label} effect={effect} state={state}>
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
    </SwitchRow>
  );
}

/** Consumers that stand in for other teams' code. */
export function ConsumersCard({ lab }: { readonly lab: LabView }) {
  return (
    <section class="card">
      <h2>Consumers of the subscribers' queues</h2>
      <ul class="switches">
        {lab.consumers.map((consumer) => (
          <ConsumerRow key={consumer.subscriber} lab={lab} consumer={consumer} />
        ))}
      </ul>
    </section>
  );
}

const effects: Readonly<Record<Consumer["mode"], string>> = {
  nobody: "Its events stay in the queue.",
  reads: "Reads and deletes every event.",
  fails: "Each event becomes a dead letter within seconds. Then redrive it.",
  "fails-on-type": "Events of this type become dead letters within seconds. The others are read.",
};

interface ConsumerRowProps {
  readonly lab: LabView;
  readonly consumer: LabView["consumers"][number];
}

function ConsumerRow({ lab, consumer }: ConsumerRowProps) {
  const { subscriber, mode, type, types } = consumer;
  const { ask, ...state } = useSwitching<string>(lab);
  const choose = (value: string) =>
    ask(value, () => send("/api/lab/consumers", { subscriber, ...consumerOf(value) }));
  const title = <Link to={addressOf(["subscribers", subscriber])}>{subscriber}</Link>;
  return (
    <SwitchRow title={title} effect={effects[mode]} state={state}>
      <select
        aria-label={`Consumer of ${subscriber}`}
        value={state.wanted ?? choiceOf({ mode, type })}
        onChange={({ currentTarget }) => choose(currentTarget.value)}
      >
        <option value="nobody">does not read</option>
        <option value="reads">reads</option>
        <option value="fails">fails on every event</option>
        {types.map((failingType) => (
          <option key={failingType} value={failingType}>
            fails on {failingType}
          </option>
        ))}
      </select>
    </SwitchRow>
  );
}

/** The modes by name; an event type stands for failing on that type. */
function choiceOf({ mode, type }: Consumer): string {
  return mode === "fails-on-type" ? (type ?? "") : mode;
}

function consumerOf(value: string): Consumer {
  switch (value) {
    case "nobody":
    case "reads":
    case "fails":
      return { mode: value };
    default:
      return { mode: "fails-on-type", type: value };
  }
}

interface SwitchRowProps {
  readonly title: ComponentChildren;
  readonly effect: string;
  readonly state: Omit<Switching<unknown>, "ask">;
  readonly children: ComponentChildren;
}

/** A switch with its effect and the state of its last change. */
function SwitchRow({ title, effect, state: { wanted, problem }, children }: SwitchRowProps) {
  return (
    <li>
      <div>
        <h3>{title}</h3>
        <p class="quiet">{effect}</p>
      </div>
      <div class="buttons">
        <span class="quiet switching" role="status">
          {wanted !== undefined && "switching …"}
        </span>
        <ActionProblem problem={problem} />
        {children}
      </div>
    </li>
  );
}
