import { isLagging } from "../../../operations/overview/flow-warnings.ts";
import type { SubscriberFlow } from "../../../operations/overview/read-flow.ts";
import { durationText } from "../../../shared/counted.ts";
import type { SubscribersView as Subscribers } from "../../routes/subscriber-routes.ts";
import { toldOn } from "../flow/flow-stages.tsx";
import { Meaning } from "../parts/meaning.tsx";
import { Badge } from "../parts/small.tsx";
import { Empty, Shown } from "../parts/states.tsx";
import { addressOf, go, Link, type ViewProps } from "../router.tsx";
import { useView } from "../use-view.ts";
import { Misses, NobodyReads, typeText } from "./bits.tsx";
import { DeadLetterPage } from "./dead-letter.tsx";
import { SubscriberPage } from "./page.tsx";

/** Who gets events: which ones, and how far behind they are. */
export function SubscribersView(props: ViewProps) {
  const [, name, letter] = props.place.path;
  if (name === undefined) return <SubscriberList {...props} />;
  if (letter === undefined) return <SubscriberPage key={name} name={name} stack={props.stack} />;
  return <DeadLetterPage key={letter} name={name} id={letter} stack={props.stack} />;
}

function SubscriberList({ stack, place }: ViewProps) {
  const view = useView<Subscribers>("/api/subscribers");
  const text = place.query.get("text") ?? "";
  const isShown = ({ name }: SubscriberFlow) => name.includes(text.trim().toLowerCase());
  return (
    <>
      <h1>Subscribers</h1>
      <p class="lead">Who gets events, which ones, and what waits in their queues.</p>
      <Shown view={view} what="the subscribers">
        {({ subscribers }) =>
          subscribers.length === 0 ? (
            <Empty title="There are no subscribers.">
              <p>Add them to the config, then deploy.</p>
            </Empty>
          ) : (
            <section class="card" aria-label="Subscribers">
              {subscribers.length > fewEnough && <Search text={text} />}
              <SubscriberTable subscribers={subscribers.filter(isShown)} stack={stack} />
            </section>
          )
        }
      </Shown>
    </>
  );
}

/** Up to this many can be found by eye, without a search. */
const fewEnough = 8;

function Search({ text }: { readonly text: string }) {
  const search = (value: string) =>
    go(addressOf(["subscribers"], { text: value }), { replace: true });
  return (
    <div class="tools">
      <label>
        Search
        <input
          type="search"
          value={text}
          onInput={({ currentTarget }) => search(currentTarget.value)}
        />
      </label>
    </div>
  );
}

interface TableProps extends Pick<ViewProps, "stack"> {
  readonly subscribers: readonly SubscriberFlow[];
}

function SubscriberTable({ subscribers, stack }: TableProps) {
  if (subscribers.length === 0)
    return (
      <Empty title="No subscriber has this name.">
        <p>
          <Link to="/subscribers">Show all</Link>
        </p>
      </Empty>
    );
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">Subscriber</th>
          <th scope="col">Gets</th>
          <th scope="col">In the queue</th>
          <th scope="col">In progress</th>
          <th scope="col">Oldest</th>
          <th scope="col">
            Dead letters <Meaning of="subscriber dead letters" />
          </th>
        </tr>
      </thead>
      <tbody>
        {subscribers.map((subscriber) => (
          <Row key={subscriber.name} subscriber={subscriber} stack={stack} />
        ))}
      </tbody>
    </table>
  );
}

interface RowProps extends Pick<ViewProps, "stack"> {
  readonly subscriber: SubscriberFlow;
}

function Row({ subscriber, stack }: RowProps) {
  const { name, ordered, types, merchants, waiting, inFlight, oldestSeconds } = subscriber;
  const problem = subscriber.problem ?? subscriber.deadLetters.problem;
  const dead = subscriber.deadLetters.waiting + subscriber.deadLetters.inFlight;
  const isLate = isLagging(subscriber, toldOn(stack));
  return (
    <tr>
      <td class="wide">
        <Link to={addressOf(["subscribers", name])}>
          <strong>{name}</strong>
        </Link>{" "}
        {!ordered && <Badge>not ordered</Badge>}
        {problem !== undefined && <span class="below bad-text">{problem}</span>}
        <NobodyReads name={name} stack={stack} />
        <Misses subscriber={subscriber} />
      </td>
      <td data-label="Gets">
        <span>
          {types.map(typeText).join(", ")}
          {merchants !== undefined && <span class="below quiet">only {merchants.join(", ")}</span>}
        </span>
      </td>
      <td data-label="In the queue" class="number">
        {problem === undefined ? waiting : "–"}
      </td>
      <td data-label="In progress" class="number">
        {problem === undefined ? inFlight : "–"}
      </td>
      <td data-label="Oldest" class={`number ${isLate ? "bad-text" : ""}`}>
        {oldestSeconds === undefined ? "–" : durationText(oldestSeconds)}
      </td>
      <td data-label="Dead letters" class="number">
        {dead === 0 ? "0" : <Badge tone="bad">{dead}</Badge>}
      </td>
    </tr>
  );
}
