import type { SubscriberFlow } from "../../../operations/overview/read-flow.ts";
import type { SubscribersView } from "../../routes/subscriber-routes.ts";
import { Badge } from "../parts/elements.tsx";
import { Meaning } from "../parts/meaning.tsx";
import { NotFound, Shown } from "../parts/states.tsx";
import { addressOf, Link } from "../router.tsx";
import { useView } from "../use-view.ts";
import { DeadLetters } from "./dead-letters.tsx";
import { Replay } from "./replay.tsx";
import { Misses, NobodyReads, numbersOf, typeText } from "./subscriber-parts.tsx";

/** One subscriber: its queue, its dead letters, and replays to it. The inbox has dead letters, too. */
export function SubscriberPage({ name }: { readonly name: string }) {
  const path = name === "inbox" ? undefined : addressOf(["api", "subscribers", name]);
  const view = useView<SubscribersView>(path);
  const isMissing = view.problem?.code === "not-found";
  if (path === undefined) {
    return (
      <>
        <h1>
          Inbox <Meaning of="inbox" />
        </h1>
        <DeadLetters name={name} />
      </>
    );
  }
  return (
    <>
      <p>
        <Link to="/subscribers">← Subscribers</Link>
      </p>
      {isMissing ? (
        <NotFound heading="No such subscriber" title="The stack has no subscriber of this name." />
      ) : (
        <>
          <h1>{name}</h1>
          <Shown view={view} what="the queue">
            {({ subscribers }) =>
              subscribers.map((one) => <Numbers key={one.name} subscriber={one} />)
            }
          </Shown>
          <DeadLetters name={name} />
          <Replay name={name} />
        </>
      )}
    </>
  );
}

function Numbers({ subscriber }: { readonly subscriber: SubscriberFlow }) {
  const { ordered, types, merchants } = subscriber;
  const { problem, waiting, inFlight, oldest, dead } = numbersOf(subscriber);
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
        <NobodyReads name={subscriber.name} isLong />
      </p>
      <Misses subscriber={subscriber} />
      <dl class="tiles">
        <Tile name="In the queue" value={waiting} />
        <Tile name="In progress" value={inFlight} />
        <Tile name="Oldest" value={oldest} />
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
