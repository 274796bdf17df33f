import { indentJson } from "../../../../shared/indent-json.ts";
import { aboutOf, type DeadLetter, factsOf } from "../../../operations/dead-letters/dead-letter.ts";
import type { DeadLettersView, DeadLetterView } from "../../routes/subscriber-routes.ts";
import { ChangeButton } from "../parts/buttons.tsx";
import { type Choice, useChoice } from "../parts/fields.tsx";
import { Json } from "../parts/json.tsx";
import { Meaning } from "../parts/meaning.tsx";
import { FactList, ReportCell } from "../parts/report.tsx";
import { Actions, InLab, LookBar, NotFound, Shown } from "../parts/states.tsx";
import { Table } from "../parts/table.tsx";
import { Ago } from "../parts/time.tsx";
import { addressOf, Link } from "../router.tsx";
import { useLook } from "../use-view.ts";

/** The last look at a queue, or at one of its dead letters. */
function useLetters<View>(name: string, ...id: string[]) {
  return useLook<View>(
    addressOf(["api", "subscribers", name, "dead-letters", ...id]),
    addressOf(["api", "subscribers", name, "look"]),
  );
}

/** The events on which the subscriber's own consumer failed. */
export function DeadLetters({ name }: { readonly name: string }) {
  const view = useLetters<DeadLettersView>(name);
  return (
    <section class="card">
      <h2>
        Dead letters{" "}
        <Meaning of={name === "inbox" ? "inbox dead letters" : "subscriber dead letters"} />
      </h2>
      <Shown view={view} what="the dead letters">
        {(data) => (
          <>
            <LookBar view={view}>{data.rest.join(" ")}</LookBar>
            {data.total === 0 ? <NoLetters queue={data.queue} /> : <Letters data={data} />}
          </>
        )}
      </Shown>
    </section>
  );
}

function NoLetters({ queue }: Pick<DeadLettersView, "queue">) {
  if (queue === "inbox") return <p class="quiet">None.</p>;
  return (
    <div class="quiet">
      <p>None: no event failed too often.</p>
      <InLab>To practise, let its consumer fail and pay an order.</InLab>
    </div>
  );
}

function Letters({ data: { letters, queue } }: { readonly data: DeadLettersView }) {
  const choice = useChoice(letters.map(({ messageId }) => messageId));
  const chosen = [...choice.chosen];
  return (
    <>
      <p class="quiet">
        {queue === "inbox"
          ? "They have no record: Paycast did not write them, they are too large, or the table was away for hours."
          : "Its consumer failed on them. Fix it, then send them again."}
      </p>
      <Actions>
        <RedriveLetters
          label={chosen.length === 0 ? "Redrive all …" : `Redrive ${chosen.length} …`}
          queue={queue}
          ids={chosen.length === 0 ? undefined : chosen}
          onDone={choice.clear}
        />
      </Actions>
      {letters.length > 0 && <LetterTable letters={letters} choice={choice} name={queue} />}
    </>
  );
}

interface RedriveLettersProps {
  readonly label: string;
  /** The subscriber, or "inbox". */
  readonly queue: string;
  /** Undefined means all. */
  readonly ids: readonly string[] | undefined;
  readonly onDone?: () => void;
}

function RedriveLetters({ label, queue, ids, onDone }: RedriveLettersProps) {
  return (
    <ChangeButton
      label={label}
      word="redrive"
      path="/api/dead-letters/redrive"
      input={() => (ids === undefined ? { queue, all: true } : { queue, ids })}
      isPrimary={ids !== undefined}
      onDone={onDone}
    />
  );
}

interface LetterTableProps {
  readonly letters: readonly DeadLetter[];
  readonly choice: Choice;
  readonly name: string;
}

function LetterTable({ letters, choice, name }: LetterTableProps) {
  return (
    <Table
      rows={letters}
      choice={choice}
      idOf={({ messageId }) => messageId}
      nameOf={({ type = "message", subject, messageId }) => `${type} of ${subject ?? messageId}`}
      columns={[
        {
          head: "Event",
          look: "wide",
          cell: ({ messageId, type = "not an event", foreign }) => (
            <Link to={addressOf(["subscribers", name, messageId])}>
              {foreign ? `${type} (foreign)` : type}
            </Link>
          ),
        },
        {
          head: "Order",
          cell: (letter) => <ReportCell cell={aboutOf(letter)} name="order" />,
        },
        {
          head: "Sequence",
          word: "sequence",
          look: "number",
          cell: ({ sequence = "–" }) => sequence.replace(/^0+(?=\d)/, ""),
        },
        { head: "Since", look: "number", cell: ({ sentAt }) => <Ago at={sentAt} /> },
        { head: "Looked at", look: "number", cell: ({ receiveCount }) => `${receiveCount}×` },
      ]}
    />
  );
}

/** One dead letter of a subscriber, with its event. */
export function DeadLetterPage({ name, id }: { readonly name: string; readonly id: string }) {
  const view = useLetters<DeadLetterView>(name, id);
  return (
    <>
      <p>
        <Link to={addressOf(["subscribers", name])}>← {name}</Link>
      </p>
      <Shown view={view} what="the dead letter" missing={<NoLetter />}>
        {(data) => (
          <>
            <h1>{data.type ?? "Not an event"}</h1>
            <LookBar view={view} />
            <section class="card" aria-label="Where it comes from">
              <FactList facts={factsOf(data)} />
            </section>
            <Actions>
              <RedriveLetters label="Redrive …" queue={name} ids={[id]} />
            </Actions>
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

function NoLetter() {
  return (
    <NotFound heading="No such dead letter" title="It is not in the dead letters any more.">
      <p>It was redriven or has expired, or the last look did not see it.</p>
    </NotFound>
  );
}
