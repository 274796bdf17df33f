import type { SubscriberFlow } from "../../../operations/overview/read-flow.ts";
import type { SubscribersView as Subscribers } from "../../routes/subscriber-routes.ts";
import { Badge } from "../parts/elements.tsx";
import { Field } from "../parts/fields.tsx";
import { Empty, Shown } from "../parts/states.tsx";
import { Table } from "../parts/table.tsx";
import { addressOf, Link, setQuery, usePlace } from "../router.tsx";
import { useView } from "../use-view.ts";
import { DeadLetterPage, SubscriberPage } from "./subscriber-page.tsx";
import { Misses, NobodyReads, numbersOf, typeText } from "./subscriber-parts.tsx";

/** The subscribers: which events they receive, and how far behind they are. */
export function SubscribersView() {
  const [, name, letter] = usePlace().path;
  if (name === undefined) return <SubscriberList />;
  if (letter === undefined) return <SubscriberPage key={name} name={name} />;
  return <DeadLetterPage key={letter} name={name} id={letter} />;
}

/** A shorter list needs no search. */
const fewEnough = 8;

function SubscriberList() {
  const view = useView<Subscribers>("/api/subscribers");
  const { text = "" } = usePlace().query;
  const isShown = ({ name }: SubscriberFlow) => name.includes(text.trim().toLowerCase());
  return (
    <>
      <h1>Subscribers</h1>
      <p class="lead">Who receives events, which ones, and what is waiting in their queues.</p>
      <Shown view={view} what="the subscribers">
        {({ subscribers }) =>
          subscribers.length === 0 ? (
            <Empty title="No subscribers.">
              <p>Add them to the config and deploy.</p>
            </Empty>
          ) : (
            <section class="card" aria-label="Subscribers">
              {subscribers.length > fewEnough && <Search text={text} />}
              <SubscriberTable subscribers={subscribers.filter(isShown)} />
            </section>
          )
        }
      </Shown>
    </>
  );
}

function Search({ text }: { readonly text: string }) {
  return (
    <div class="tools">
      <Field
        label="Search"
        type="search"
        value={text}
        onText={(typed) => setQuery({ text: typed })}
      />
    </div>
  );
}

function SubscriberTable({ subscribers }: Subscribers) {
  if (subscribers.length === 0)
    return (
      <Empty title="No subscriber matches.">
        <p>
          <Link to="/subscribers">Show all</Link>
        </p>
      </Empty>
    );
  return (
    <Table
      rows={subscribers.map((subscriber) => ({ subscriber, ...numbersOf(subscriber) }))}
      idOf={({ subscriber }) => subscriber.name}
      columns={[
        { head: "Subscriber", look: "wide", cell: (row) => <NameCell {...row} /> },
        { head: "Receives", cell: ({ subscriber }) => <Gets subscriber={subscriber} /> },
        { head: "In the queue", look: "number", cell: ({ waiting }) => waiting },
        { head: "In progress", look: "number", cell: ({ inFlight }) => inFlight },
        {
          head: "Oldest",
          look: "number",
          cell: ({ oldest, subscriber }) =>
            subscriber.isLate ? <Badge tone="bad">{oldest}</Badge> : oldest,
        },
        {
          head: "Dead letters",
          word: "subscriber dead letters",
          look: "number",
          cell: ({ dead }) => (dead === 0 ? "0" : <Badge tone="bad">{dead}</Badge>),
        },
      ]}
    />
  );
}

interface NameCellProps {
  readonly subscriber: SubscriberFlow;
  readonly problem: string | undefined;
}

function NameCell({ subscriber, problem }: NameCellProps) {
  const { name, ordered } = subscriber;
  return (
    <>
      <Link to={addressOf(["subscribers", name])}>
        <strong>{name}</strong>
      </Link>{" "}
      {!ordered && <Badge>not ordered</Badge>}
      {problem !== undefined && <span class="below bad-text">{problem}</span>}
      <NobodyReads subscriber={subscriber} />
      <Misses subscriber={subscriber} />
    </>
  );
}

function Gets({ subscriber: { types, merchants } }: Pick<NameCellProps, "subscriber">) {
  return (
    <span>
      {types.map(typeText).join(", ")}
      {merchants !== undefined && <span class="below quiet">only {merchants.join(", ")}</span>}
    </span>
  );
}
