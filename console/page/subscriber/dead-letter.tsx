import { indentJson } from "../../../shared/indent-json.ts";
import type { StackView } from "../../routes/stack-routes.ts";
import type { DeadLetterView } from "../../routes/subscriber-routes.ts";
import { LookBar } from "../parts/look-bar.tsx";
import { Outside } from "../parts/outside.tsx";
import { ReadOnly } from "../parts/read-only.tsx";
import { Id, Json } from "../parts/small.tsx";
import { Empty, Shown } from "../parts/states.tsx";
import { Ago } from "../parts/time.tsx";
import { addressOf, Link } from "../router.tsx";
import { useLook } from "../use-look.ts";
import { RedriveLetters } from "./dead-letters.tsx";

interface DeadLetterPageProps {
  readonly name: string;
  readonly id: string;
  readonly stack: StackView;
}

/** One dead letter of a subscriber, with its event. */
export function DeadLetterPage({ name, id, stack }: DeadLetterPageProps) {
  const view = useLook<DeadLetterView>(
    addressOf(["api", "subscribers", name, "dead-letters", id]),
    addressOf(["api", "subscribers", name, "look"]),
  );
  const back = (
    <p>
      <Link to={addressOf(["subscribers", name])}>← {name}</Link>
    </p>
  );
  if (view.problem?.code === "not-found") {
    return (
      <>
        {back}
        <h1>No such dead letter</h1>
        <Empty title="It is not in the dead letters any more.">
          <p>It was redriven or has expired, or the last look did not see it.</p>
        </Empty>
      </>
    );
  }
  return (
    <>
      {back}
      <Shown view={view} what="the dead letter">
        {(data) => (
          <>
            <h1>{data.type ?? "Not an event"}</h1>
            <LookBar view={view} />
            <Facts letter={data} />
            <ReadOnly stack={stack} what="redrive it" />
            {stack.canChange && (
              <div class="buttons actions">
                <RedriveLetters label="Redrive …" subscriber={name} ids={[id]} />
              </div>
            )}
            <section class="card">
              <h2>{data.type === undefined ? "Content" : "Event"}</h2>
              <Json value={indentJson(data.body) ?? data.body} what="event" />
            </section>
          </>
        )}
      </Shown>
    </>
  );
}

function Facts({ letter }: { readonly letter: DeadLetterView }) {
  const { subject, eventId, messageId, sentAt, receiveCount, attributes } = letter;
  return (
    <section class="card" aria-label="Where it comes from">
      <dl>
        {subject !== undefined && (
          <>
            <dt>Order</dt>
            <dd>
              <Link to={addressOf(["orders", subject])}>
                <Outside text={subject} />
              </Link>
            </dd>
          </>
        )}
        <dt>Here since</dt>
        <dd>
          <Ago at={sentAt} />, looked at {receiveCount} times
        </dd>
        {eventId !== undefined && (
          <>
            <dt>Event id</dt>
            <dd>
              <Id text={eventId} what="event id" />
            </dd>
          </>
        )}
        <dt>Message id</dt>
        <dd>
          <Id text={messageId} what="message id" />
        </dd>
        {Object.entries(attributes).map(([attribute, text]) => (
          <>
            <dt key={attribute}>
              Attribute <Outside text={attribute} />
            </dt>
            <dd>
              <Outside text={text} />
            </dd>
          </>
        ))}
      </dl>
    </section>
  );
}
