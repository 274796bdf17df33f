import { isLagging } from "../../../operations/overview/flow-warnings.ts";
import type { SubscriberFlow } from "../../../operations/overview/read-flow.ts";
import { durationText } from "../../../shared/counted.ts";
import type { StackView } from "../../routes/stack-routes.ts";
import type { SubscribersView } from "../../routes/subscriber-routes.ts";
import { toldOn } from "../flow/flow-stages.tsx";
import { Meaning } from "../parts/meaning.tsx";
import { Badge } from "../parts/small.tsx";
import { Empty, Shown } from "../parts/states.tsx";
import { addressOf, Link } from "../router.tsx";
import { useView } from "../use-view.ts";
import { Misses, NobodyReads, typeText } from "./bits.tsx";
import { DeadLetters } from "./dead-letters.tsx";
import { Replay } from "./replay.tsx";
import { Runs } from "./runs.tsx";

interface SubscriberPageProps {
  readonly name: string;
  readonly stack: StackView;
}

/** One subscriber: its queue, its dead letters, and replays to it. The inbox has dead letters, too. */
export function SubscriberPage({ name, stack }: SubscriberPageProps) {
  return name === "inbox" ? (
    <>
      <h1>
        Inbox <Meaning of="inbox" />
      </h1>
      <DeadLetters name={name} stack={stack} />
    </>
  ) : (
    <OneSubscriber name={name} stack={stack} />
  );
}

function OneSubscriber({ name, stack }: SubscriberPageProps) {
  const view = useView<SubscribersView>(addressOf(["api", "subscribers", name]));
  return (
    <>
      <p>
        <Link to="/subscribers">← Subscribers</Link>
      </p>
      {view.problem?.code === "not-found" ? (
        <>
          <h1>No such subscriber</h1>
          <Empty title="The stack has no subscriber of this name." />
        </>
      ) : (
        <>
          <h1>{name}</h1>
          <Shown view={view} what="the queue">
            {({ subscribers }) =>
              subscribers.map((one) => <Numbers key={one.name} subscriber={one} stack={stack} />)
            }
          </Shown>
          <DeadLetters name={name} stack={stack} />
          <Replay name={name} stack={stack} />
          <Runs name={name} stack={stack} />
        </>
      )}
    </>
  );
}

interface NumbersProps {
  readonly subscriber: SubscriberFlow;
  readonly stack: StackView;
}

function Numbers({ subscriber, stack }: NumbersProps) {
  const { ordered, types, merchants, waiting, inFlight, oldestSeconds } = subscriber;
  const problem = subscriber.problem ?? subscriber.deadLetters.problem;
  const dead = subscriber.deadLetters.waiting + subscriber.deadLetters.inFlight;
  return (
    <>
      <p class="line">
        <span>Gets {types.map(typeText).join(", ")}</span>
        {merchants !== undefined && <span>of {merchants.join(", ")}</span>}
        <Badge>{ordered ? "ordered within each order" : "not ordered"}</Badge>
      </p>
      {problem !== undefined && (
        <p class="notice bad" role="alert">
          The queue cannot be read. {problem}
        </p>
      )}
      <p>
        <NobodyReads name={subscriber.name} stack={stack} isLong />
      </p>
      <Misses subscriber={subscriber} />
      <dl class="tiles">
        <Tile name="In the queue" value={problem === undefined ? waiting : "–"} />
        <Tile name="In progress" value={problem === undefined ? inFlight : "–"} />
        <Tile
          name="Oldest"
          value={oldestSeconds === undefined ? "–" : durationText(oldestSeconds)}
          isBad={isLagging(subscriber, toldOn(stack))}
        />
        <Tile name="Dead letters" value={dead} isBad={dead > 0} />
      </dl>
    </>
  );
}

interface TileProps {
  readonly name: string;
  readonly value: number | string;
  readonly isBad?: boolean;
}

function Tile({ name, value, isBad = false }: TileProps) {
  return (
    <div class={`tile ${isBad ? "bad" : ""}`}>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}
