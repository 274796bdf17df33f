import { aboutOf, type DeadLetter } from "../../../operations/dead-letters/dead-letter.ts";
import type { StackView } from "../../routes/stack-routes.ts";
import type { DeadLettersView } from "../../routes/subscriber-routes.ts";
import { type Choice, useChoice } from "../parts/fields.tsx";
import { Meaning } from "../parts/meaning.tsx";
import { ChangeButton, ReportCell } from "../parts/report.tsx";
import { InLab, LookBar, ReadOnly, Shown } from "../parts/states.tsx";
import { Table } from "../parts/table.tsx";
import { Ago } from "../parts/time.tsx";
import { addressOf, Link } from "../router.tsx";
import { useLook } from "../use-view.ts";

interface DeadLettersProps {
  readonly name: string;
  readonly stack: StackView;
}

/** The events on which the subscriber's own consumer failed. */
export function DeadLetters({ name, stack }: DeadLettersProps) {
  const view = useLook<DeadLettersView>(
    addressOf(["api", "subscribers", name, "dead-letters"]),
    addressOf(["api", "subscribers", name, "look"]),
  );
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
            <Letters data={data} stack={stack} />
          </>
        )}
      </Shown>
    </section>
  );
}

function Letters({ data, stack }: { readonly data: DeadLettersView; readonly stack: StackView }) {
  const { letters, total, queue } = data;
  const ids = letters.map(({ messageId }) => messageId);
  const choice = useChoice(ids);
  const isInbox = queue === "inbox";
  if (total === 0) {
    return isInbox ? (
      <p class="quiet">None.</p>
    ) : (
      <div class="quiet">
        <p>None: no event failed too often.</p>
        <InLab stack={stack}>To practise, let its consumer fail and pay an order.</InLab>
      </div>
    );
  }
  const chosen = [...choice.chosen];
  const label = chosen.length === 0 ? "Redrive all …" : `Redrive ${chosen.length} …`;
  return (
    <>
      <p class="quiet">
        {isInbox
          ? "They have no record: Paycast did not write them, they are too large, or the table was away for hours."
          : "Its consumer failed on them. Fix it, then send them again."}
      </p>
      <ReadOnly stack={stack} />
      {stack.canChange && (
        <div class="buttons actions">
          <RedriveLetters
            label={label}
            queue={queue}
            ids={chosen.length === 0 ? undefined : chosen}
            onDone={choice.clear}
          />
        </div>
      )}
      {letters.length > 0 && (
        <LetterTable letters={letters} choice={stack.canChange ? choice : undefined} name={queue} />
      )}
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

export function RedriveLetters({ label, queue, ids, onDone }: RedriveLettersProps) {
  return (
    <ChangeButton
      label={label}
      word="redrive"
      path="/api/dead-letters/redrive"
      input={() => (ids === undefined ? { queue, all: true } : { queue, ids })}
      isPrimary={ids !== undefined}
      {...(onDone && { onDone })}
    />
  );
}

interface LetterTableProps {
  readonly letters: readonly DeadLetter[];
  /** Undefined if nothing can be changed. */
  readonly choice: Choice | undefined;
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
          cell: ({ messageId, type = "not an event" }) => (
            <Link to={addressOf(["subscribers", name, messageId])}>{type}</Link>
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
