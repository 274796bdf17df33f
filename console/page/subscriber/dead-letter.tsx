import { factsOf } from "../../../operations/dead-letters/dead-letter.ts";
import { indentJson } from "../../../shared/indent-json.ts";
import type { StackView } from "../../routes/stack-routes.ts";
import type { DeadLetterView } from "../../routes/subscriber-routes.ts";
import { Json } from "../parts/json.tsx";
import { FactList } from "../parts/report.tsx";
import { Empty, LookBar, ReadOnly, Shown } from "../parts/states.tsx";
import { addressOf, Link } from "../router.tsx";
import { useLook } from "../use-view.ts";
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
              <section class="card" aria-label="Where it comes from">
                <FactList facts={factsOf(data)} />
              </section>
              <ReadOnly stack={stack} />
              {stack.canChange && (
                <div class="buttons actions">
                  <RedriveLetters label="Redrive …" queue={name} ids={[id]} />
                </div>
              )}
              <section class="card">
                <h2>{data.type === undefined ? "Content" : "Event"}</h2>
                <Json value={indentJson(data.body) ?? data.body} what="event" />
              </section>
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
