import type { AttentionItem, ItemKind, ShownItem } from "../../../operations/attention/item.ts";
import {
  aboutOf,
  detailText,
  factsOf,
  itemWords,
  nameOf,
} from "../../../operations/attention/item-words.ts";
import type { FormInput } from "../../../operations/described/command-line.ts";
import { reasonText } from "../../../operations/reason-words.ts";
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

/** One item that needs attention, with everything that is stored about it. */
export function ItemView({ id }: { readonly id: string }) {
  const { order } = usePlace().query;
  const view = useView<ShownItem>(addressOf(["api", "attention", "show"], { id, order }));
  return (
    <>
      <p>
        <Link to={addressOf(["attention"], { order })}>← Attention</Link>
        <Meaning of="attention" />
      </p>
      <Shown view={view} what="the item" missing={<Settled />}>
        {(data) => (
          <>
            <h1>{headingOf(data.item)}</h1>
            <p class="lead">{itemWords[data.item.kind].means}</p>
            <WhatHappened shown={data} />
            <Actions>
              <Changes
                input={() => ({ ids: [id], order })}
                isPrimary
                canRedrive={"payload" in data}
              />
            </Actions>
            {"payload" in data && (
              <section class="card">
                <h2>Payload</h2>
                <Payload payload={data.payload} />
              </section>
            )}
          </>
        )}
      </Shown>
    </>
  );
}

function Settled() {
  return (
    <NotFound heading="Resolved" title="This item is no longer in the list.">
      <p>It was processed, delivered or removed from the list, or its order has ended.</p>
    </NotFound>
  );
}

interface ChangesProps {
  readonly input: () => FormInput;
  /** How many items; omitted on the page of a single item. */
  readonly count?: string;
  readonly isPrimary: boolean;
  /** False for a notice: it holds no message. */
  readonly canRedrive?: boolean;
  readonly onDone?: () => void;
}

/** The actions for items that need attention. */
export function Changes({ input, count, isPrimary, canRedrive = true, onDone }: ChangesProps) {
  const which = count === undefined ? "…" : `${count} …`;
  return (
    <>
      {canRedrive && (
        <ChangeButton
          label={`Redrive ${which}`}
          word="redrive"
          path="/api/attention/redrive"
          input={input}
          onDone={onDone}
          isPrimary={isPrimary}
        />
      )}
      <ChangeButton
        label={`Dismiss ${which}`}
        word="dismissed"
        path="/api/attention/dismiss"
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
      <p>
        <strong>What to do:</strong> {itemWords[item.kind].todo}
      </p>
      <p class="quiet">
        <strong>Ends:</strong> {itemWords[item.kind].ends}
      </p>
      <FactList facts={factsOf(shown)} />
    </section>
  );
}

const calmTones: Readonly<Partial<Record<ItemKind, Tone>>> = { finished: "good", waiting: "open" };

export function KindBadge({ kind }: Pick<AttentionItem, "kind">) {
  return <Badge tone={calmTones[kind] ?? "bad"}>{itemWords[kind].title}</Badge>;
}

interface ListProps {
  readonly items: readonly AttentionItem[];
  readonly choice: Choice;
}

export function ItemTable({ items, choice }: ListProps) {
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
        {
          head: "Merchant",
          look: "name",
          cell: (item) => <Outside text={item.merchantId || "-"} />,
        },
        { head: "Since", look: "number", cell: ({ since }) => <Ago at={since} /> },
      ]}
    />
  );
}

/** Why a callback or an event is here; for a notice, its kind. */
function headingOf({ kind, reason }: AttentionItem): string {
  return kind === reason ? capitalized(itemWords[kind].title) : reasonText(reason);
}

function capitalized(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

interface WhyProps {
  readonly item: AttentionItem;
  /** The order to which the list is limited. */
  readonly order: string | undefined;
}

function Why({ item, order }: WhyProps) {
  const isOnlyKind = item.kind === item.reason;
  const more = detailText(item) || (isOnlyKind ? itemWords[item.kind].means : "");
  return (
    <>
      <Link to={addressOf(["attention", item.id], { order })}>{headingOf(item)}</Link>{" "}
      {!isOnlyKind && <KindBadge kind={item.kind} />}
      {more !== "" && <span class="below quiet">{more}</span>}
    </>
  );
}
