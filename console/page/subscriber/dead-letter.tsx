import { counted } from "../../../shared/counted.ts";
import { indentJson } from "../../../shared/indent-json.ts";
import type { StackView } from "../../routes/stack-routes.ts";
import type { DeadLetterView } from "../../routes/subscriber-routes.ts";
import { Fact, IdFact } from "../parts/fact.tsx";
import { Json } from "../parts/json.tsx";
import { LookBar } from "../parts/look-bar.tsx";
import { Outside } from "../parts/outside.tsx";
import { ReadOnly } from "../parts/read-only.tsx";
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
  return (
    <>
      <p>
        <Link to={addressOf(["subscribers", name])}>← {name}</Link>
      </p>
      {view.problem?.code === "not-found" ? (
        <NotFound />
      ) : (
        <Shown view={view} what="the dead letter">
          {(data) => (
            <>
              <h1>{data.type ?? "Not an event"}</h1>
              <LookBar view={view} />
              <Facts letter={data} />
              <ReadOnly stack={stack} />
              {stack.canChange && (
                <div class="buttons actions">
                  <RedriveLetters label="Redrive …" queue={name} ids={[id]} />
                </div>
              )}
              <Content letter={data} />
            </>
          )}
        </Shown>
      )}
    </>
  );
}

function NotFound() {
  return (
    <>
      <h1>No such dead letter</h1>
      <Empty title="It is not in the dead letters any more.">
        <p>It was redriven or has expired, or the last look did not see it.</p>
      </Empty>
    </>
  );
}

interface LetterProps {
  readonly letter: DeadLetterView;
}

function Facts({ letter }: LetterProps) {
  const { subject, eventId, messageId, sentAt, receiveCount, attributes } = letter;
  return (
    <section class="card" aria-label="Where it comes from">
      <dl>
        {subject !== undefined && (
          <Fact name="Order">
            <Link to={addressOf(["orders", subject])}>
              <Outside text={subject} />
            </Link>
          </Fact>
        )}
        <Fact name="Here since">
          <Ago at={sentAt} />, looked at {counted(receiveCount, "time")}
        </Fact>
        <IdFact name="Event id" value={eventId} />
        <IdFact name="Message id" value={messageId} />
        {Object.entries(attributes).map(([name, text]) => (
          <Fact key={name} name={<Outside text={`Attribute ${name}`} />}>
            <Outside text={text} />
          </Fact>
        ))}
      </dl>
    </section>
  );
}

function Content({ letter: { type, body } }: LetterProps) {
  return (
    <section class="card">
      <h2>{type === undefined ? "Content" : "Event"}</h2>
      <Json value={indentJson(body) ?? body} what="event" />
    </section>
  );
}
