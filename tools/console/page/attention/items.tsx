import type { ItemKind, QuarantinedItem, ShownItem } from "../../../operations/attention/item.ts";
import {
  aboutOf,
  detailText,
  factsOf,
  itemWords,
  nameOf,
  reasonText,
} from "../../../operations/attention/item-words.ts";
import type { FormInput } from "../../../operations/described/command-line.ts";
import { ChangeButton } from "../parts/buttons.tsx";
import { Badge, Outside, type Tone } from "../parts/elements.tsx";
import type { Choice } from "../parts/fields.tsx";
import { Payload } from "../parts/json.tsx";
import { Meaning } from "../parts/meaning.tsx";
import { FactList, ReportCell } from "../parts/report.tsx";
import { Actions, NotFound, Shown } from "../parts/states.tsx";
import { Table } from "../parts/table.tsx";
import { Ago } from "../parts/time.tsx";
import { addressOf, Link, usePlace } from "../router.tsx";
import { useView } from "../use-view.ts";

/** One thing in quarantine, with its payload. */
export function QuarantinedItemView({ id }: { readonly id: string }) {
  const { order } = usePlace().query;
  const view = useView<ShownItem>(addressOf(["api", "quarantine", "show"], { id, order }));
  return (
    <>
      <p>
        <Link to={addressOf(["quarantine"], { order })}>← Quarantine</Link>
        <Meaning of="quarantine" />
      </p>
      <Shown view={view} what="the item" missing={<Settled />}>
        {(data) => (
          <>
            <h1>{reasonText(data.item.reason)}</h1>
            <p class="lead">{itemWords[data.item.kind].todo}</p>
            <WhatHappened shown={data} />
            <Actions>
              <Changes input={() => ({ ids: [id], order })} isPrimary />
            </Actions>
            <section class="card">
              <h2>Payload</h2>
              <Payload payload={data.payload} />
            </section>
          </>
        )}
      </Shown>
    </>
  );
}

function Settled() {
  return (
    <NotFound heading="Not in quarantine" title="It is not in quarantine any more.">
      <p>It was processed or delivered, or a person took it off the list.</p>
    </NotFound>
  );
}

interface ChangesProps {
  readonly input: () => FormInput;
  /** How many; left out for the one that is shown. */
  readonly count?: string;
  readonly isPrimary: boolean;
  readonly onDone?: () => void;
}

/** What can be done about things in quarantine. */
export function Changes({ input, count, isPrimary, onDone }: ChangesProps) {
  const which = count === undefined ? "…" : `${count} …`;
  return (
    <>
      <ChangeButton
        label={`Redrive ${which}`}
        word="redrive"
        path="/api/quarantine/redrive"
        input={input}
        onDone={onDone}
        isPrimary={isPrimary}
      />
      <ChangeButton
        label={`Dismiss ${which}`}
        word="dismissed"
        path="/api/quarantine/dismiss"
        input={input}
        onDone={onDone}
      />
    </>
  );
}

function WhatHappened({ shown }: { readonly shown: ShownItem }) {
  const { item } = shown;
  const detail = detailText(item);
  return (
    <section class="card" aria-label="What happened">
      <p class="line">
        <KindBadge kind={item.kind} />
        <code>{item.reason}</code>
      </p>
      {detail !== "" && <p>{detail}</p>}
      <FactList facts={factsOf(shown)} />
    </section>
  );
}

const calmTones: Readonly<Partial<Record<ItemKind, Tone>>> = { finished: "good", waiting: "open" };

function KindBadge({ kind }: Pick<QuarantinedItem, "kind">) {
  return <Badge tone={calmTones[kind] ?? "bad"}>{itemWords[kind].title}</Badge>;
}

interface ListProps {
  readonly items: readonly QuarantinedItem[];
  readonly choice: Choice;
}

export function QuarantineTable({ items, choice }: ListProps) {
  const { order } = usePlace().query;
  return (
    <Table
      rows={items}
      choice={choice}
      idOf={({ id }) => id}
      nameOf={nameOf}
      columns={[
        { head: "Why", look: "wide", cell: (item) => <Why item={item} order={order} /> },
        { head: "About", cell: (item) => <ReportCell cell={aboutOf(item)} name="about" /> },
        { head: "Merchant", look: "name", cell: (item) => <Outside text={item.merchantId} /> },
        { head: "Since", look: "number", cell: ({ since }) => <Ago at={since} /> },
      ]}
    />
  );
}

interface WhyProps {
  readonly item: QuarantinedItem;
  /** The order to which the list is limited. */
  readonly order: string | undefined;
}

function Why({ item, order }: WhyProps) {
  const more = detailText(item);
  return (
    <>
      <Link to={addressOf(["quarantine", item.id], { order })}>{reasonText(item.reason)}</Link>{" "}
      <KindBadge kind={item.kind} />
      {more !== "" && <span class="below quiet">{more}</span>}
    </>
  );
}
