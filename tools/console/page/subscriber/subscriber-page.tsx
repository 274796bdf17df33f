import { type ComponentChildren, Fragment } from "preact";
import { counted, durationText } from "../../../../shared/text/number-text.ts";
import { lateText } from "../../../operations/overview/flow-stages.ts";
import type { Flow, SubscriberFlow } from "../../../operations/overview/read-flow.ts";
import { stackOption } from "../../../operations/stack-option.ts";
import type { SubscribersView } from "../../routes/subscriber-routes.ts";
import { ChangeForm } from "../described/change-form.tsx";
import { DescribedLook } from "../described/look.tsx";
import { Badge, Copy } from "../parts/elements.tsx";
import { Meaning } from "../parts/meaning.tsx";
import { Empty, InLab, NotFound, Shown } from "../parts/states.tsx";
import { Ago, shortTime, useNow } from "../parts/time.tsx";
import { addressOf, Link } from "../router.tsx";
import { useStack, useView } from "../use-view.ts";
import { NewestEvents } from "./newest-events.tsx";
import { QueueCharts, useHistory } from "./queue-charts.tsx";
import { Misses, NobodyReads, numbersOf, typeText } from "./subscriber-parts.tsx";

/** One subscriber: its queue, its dead letters, and replays to it. For the inbox, only its dead letters. */
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
        <InboxDeadLetters />
      </>
    );
  }
  return (
    <>
      <p>
        <Link to="/subscribers">← Subscribers</Link>
      </p>
      {isMissing ? (
        <NotFound
          heading="No such subscriber"
          title="The stack has no subscriber with this name."
        />
      ) : (
        <>
          <h1>{name}</h1>
          <Shown view={view} what="the queue">
            {({ subscribers }) =>
              subscribers.map((subscriber) => (
                <Fragment key={subscriber.name}>
                  <Queue subscriber={subscriber} />
                  <DeadLetters name={name} count={numbersOf(subscriber).dead} />
                </Fragment>
              ))
            }
          </Shown>
          <Replay name={name} />
        </>
      )}
    </>
  );
}

interface QueueProps {
  readonly subscriber: SubscriberFlow;
}

function Queue({ subscriber }: QueueProps) {
  const history = useHistory(subscriber.name);
  return (
    <>
      <Numbers subscriber={subscriber} lastReadAt={history.data?.lastReadAt} />
      <QueueCharts view={history} subscriber={subscriber} />
      <NewestEvents subscriber={subscriber} />
    </>
  );
}

function Numbers({ subscriber, lastReadAt }: QueueProps & { lastReadAt: string | undefined }) {
  const { ordered, types, merchants, isGone, isLate, oldestAt } = subscriber;
  const { problem, waiting, inFlight, dead } = numbersOf(subscriber);
  const late = lateText(subscriber, shortTime);
  return (
    <>
      <p class="line">
        <span>Receives {types.map(typeText).join(", ")}</span>
        {merchants !== undefined && <span>of {merchants.join(", ")}</span>}
        <Badge>{ordered ? "ordered within each order" : "not ordered"}</Badge>
      </p>
      {isGone && <QueueGone />}
      {problem !== undefined && !isGone && (
        <p class="notice bad" role="alert">
          The queue could not be read. {problem}
        </p>
      )}
      {late !== undefined && (
        <p class="notice bad" role="alert">
          {late}
        </p>
      )}
      <p>
        <NobodyReads subscriber={subscriber} isLong />
      </p>
      <Misses subscriber={subscriber} />
      <dl class="tiles">
        <Tile name="In the queue" value={waiting} />
        <Tile name="In progress" value={inFlight} />
        <Tile name="Oldest" value={<Age since={oldestAt} />} isBad={isLate} />
        <Tile name="Last read" value={<LastRead at={lastReadAt} />} />
        <Tile name="Dead letters" value={dead} isBad={dead > 0} />
      </dl>
    </>
  );
}

/** Only `check` knows the repair command: it compares the queue with the template. */
function QueueGone() {
  const command = `npx paycast check${stackOption(useStack())}`;
  return (
    <div class="notice bad" role="alert">
      <p>
        The queue was deleted. This command explains how to create it again and how to replay its
        events:
      </p>
      <span class="command">
        <code>{command}</code>
        <Copy text={command} what="command that checks the stack" />
      </span>
    </div>
  );
}

function Age({ since }: { readonly since: string | undefined }) {
  const now = useNow();
  if (since === undefined) return "–";
  return durationText(Math.max(0, now - Date.parse(since)) / 1000);
}

function LastRead({ at }: { readonly at: string | undefined }) {
  return at === undefined ? "over 1 h ago" : <Ago at={at} />;
}

interface TileProps {
  readonly name: string;
  readonly value: ComponentChildren;
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

interface NamedProps {
  /** A subscriber, or "inbox". */
  readonly name: string;
}

/** The inbox has no view of its own. Flow has its count. */
function InboxDeadLetters() {
  const view = useView<Flow>("/api/flow");
  return (
    <Shown view={view} what="the inbox">
      {({ inbox: { deadLetters } }) => (
        <DeadLetters name="inbox" count={deadLetters.waiting + deadLetters.inFlight} />
      )}
    </Shown>
  );
}

interface DeadLettersProps extends NamedProps {
  /** The count that SQS reports, without receiving a message. */
  readonly count: number;
}

function DeadLetters({ name, count }: DeadLettersProps) {
  const practice = name !== "inbox" && (
    <InLab>To practise, make its consumer fail and pay an order.</InLab>
  );
  return (
    <section class="card">
      <h2>
        Dead letters <DeadLettersMeaning name={name} />
      </h2>
      <DescribedLook
        operation={["dead-letters", "list"]}
        input={{ queue: name }}
        what="the dead letters"
        rowAddress={(id) => addressOf(["subscribers", name, id])}
        empty={practice}
        unseen={(button) =>
          count === 0 ? (
            <Empty title={`No dead letters of ${name === "inbox" ? "the inbox" : name}.`}>
              {practice}
            </Empty>
          ) : (
            <Unseen button={button}>{counted(count, "dead letter")}.</Unseen>
          )
        }
      />
    </section>
  );
}

interface UnseenProps {
  readonly button: ComponentChildren;
  readonly children?: ComponentChildren;
}

/** Reading dead letters receives messages, so it starts only on demand. */
function Unseen({ button, children }: UnseenProps) {
  return (
    <>
      <p>
        {children} Reading receives each message and returns it to the queue. Other consumers do not
        see it meanwhile.
      </p>
      {button}
    </>
  );
}

function DeadLettersMeaning({ name }: NamedProps) {
  return <Meaning of={name === "inbox" ? "inbox dead letters" : "subscriber dead letters"} />;
}

/** One dead letter, with its content. */
export function DeadLetterPage({ name, id }: NamedProps & { readonly id: string }) {
  return (
    <>
      <p>
        <Link to={addressOf(["subscribers", name])}>← {name}</Link>
      </p>
      <h1>
        Dead letter <DeadLettersMeaning name={name} />
      </h1>
      <section class="card" aria-label="What it is">
        <DescribedLook
          operation={["dead-letters", "show"]}
          input={{ queue: name, id }}
          what="the dead letter"
          unseen={(button) => <Unseen button={button} />}
          missing={
            <Empty title="This message is no longer in the queue.">
              <p>It was redriven, has expired, or was not visible when the queue was read.</p>
            </Empty>
          }
        />
      </section>
    </>
  );
}

function Replay({ name }: NamedProps) {
  return (
    <section class="card">
      <h2>
        Replay to {name} <Meaning of="replay" />
      </h2>
      <p class="quiet">
        Sends recorded events again, byte for byte and in the same order. Consumers recognise
        duplicates by the event id. An event must match every field that you fill in.
      </p>
      <ChangeForm path="/api/replay" given={{ to: name }} label="Replay …" />
    </section>
  );
}
