import type { Consumer } from "../../lab/lab.ts";
import type { LabView } from "../../routes/lab-routes.ts";
import { send } from "../api.ts";
import { SwitchState, useSwitching } from "../parts/buttons.tsx";
import { addressOf, Link } from "../router.tsx";

/** In place of other teams' code: who reads the queues, and fails. */
export function ConsumersCard({ lab }: { readonly lab: LabView }) {
  return (
    <section class="card">
      <h2>Consumers of the subscribers' queues</h2>
      <ul class="switches">
        {lab.consumers.map((one) => (
          <Row key={one.subscriber} lab={lab} consumer={one} />
        ))}
      </ul>
    </section>
  );
}

const effects: Readonly<Record<Consumer["mode"], string>> = {
  nobody: "Its events stay in the queue.",
  reads: "Takes every event out of the queue.",
  fails: "Each event is tried until it is a dead letter, within seconds. Then redrive it.",
  "fails-on-type":
    "Events of this type are tried until they are dead letters, within seconds. The others are read.",
};

interface RowProps {
  readonly lab: LabView;
  readonly consumer: LabView["consumers"][number];
}

function Row({ lab, consumer }: RowProps) {
  const { subscriber, mode, type, types } = consumer;
  const { ask, ...state } = useSwitching<string>(lab);
  const choose = (value: string) =>
    ask(value, () => send("/api/lab/consumers", { subscriber, ...consumerOf(value) }));
  return (
    <li>
      <div>
        <h3>
          <Link to={addressOf(["subscribers", subscriber])}>{subscriber}</Link>
        </h3>
        <p class="quiet">{effects[mode]}</p>
      </div>
      <div class="buttons">
        <SwitchState {...state} />
        <select
          aria-label={`Consumer of ${subscriber}`}
          value={state.wanted ?? choiceOf({ mode, type })}
          onChange={({ currentTarget }) => choose(currentTarget.value)}
        >
          <option value="nobody">nobody reads</option>
          <option value="reads">reads</option>
          <option value="fails">fails on every event</option>
          {types.map((one) => (
            <option key={one} value={one}>
              fails on {one}
            </option>
          ))}
        </select>
      </div>
    </li>
  );
}

/** The modes by their names; a type of event stands for failing on it. */
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
