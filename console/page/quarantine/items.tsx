import type { ItemKind, QuarantinedItem, ShownItem } from "../../../operations/quarantine/item.ts";
import {
  aboutOf,
  detailText,
  factsOf,
  kindWords,
  nameOf,
  reasonText,
} from "../../../operations/quarantine/words.ts";
import type { Choice } from "../parts/fields.tsx";
import { Payload } from "../parts/json.tsx";
import { Meaning } from "../parts/meaning.tsx";
import { ChangeButton, FactList, ReportCell } from "../parts/report.tsx";
import { Badge, Outside, type Tone } from "../parts/small.tsx";
import { Empty, ReadOnly, Shown } from "../parts/states.tsx";
import { Table } from "../parts/table.tsx";
import { Ago } from "../parts/time.tsx";
import { addressOf, Link, type ViewProps } from "../router.tsx";
import { useView } from "../use-view.ts";
import { filterOf } from "./filter.tsx";

interface ItemViewProps extends ViewProps {
  readonly id: string;
}

/** One thing in quarantine, with its payload. */
export function QuarantinedItemView({ id, stack, place }: ItemViewProps) {
  const { order } = filterOf(place);
  const view = useView<ShownItem>(addressOf(["api", "quarantine", "show"], { id, order }));
  return (
    <>
      <p>
        <Link to={addressOf(["quarantine"], { order })}>← Quarantine</Link>
        <Meaning of="quarantine" />
      </p>
      {view.problem?.code === "not-found" ? (
        <NotFound />
      ) : (
        <Shown view={view} what="the item">
          {(data) => (
            <>
              <h1>{reasonText(data.item.reason)}</h1>
              <p class="lead">{kindWords[data.item.kind].todo}</p>
              <Details shown={data} />
              <ReadOnly stack={stack} />
              {stack.canChange && <Actions input={() => ({ ids: [id], order })} />}
              <section class="card">
                <h2>Payload</h2>
                <Payload payload={data.payload} />
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
      <h1>Not in quarantine</h1>
      <Empty title="It is not in quarantine any more.">
        <p>It was processed or delivered, or a person took it off the list.</p>
      </Empty>
    </>
  );
}

function Actions({ input }: { readonly input: () => object }) {
  return (
    <div class="buttons actions">
      <ChangeButton
        label="Redrive …"
        word="redrive"
        path="/api/quarantine/redrive"
        input={input}
        isPrimary
      />
      <ChangeButton
        label="Dismiss …"
        word="dismissed"
        path="/api/quarantine/dismiss"
        input={input}
      />
    </div>
  );
}

function Details({ shown }: { readonly shown: ShownItem }) {
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

const tones: Readonly<Record<ItemKind, Tone>> = {
  quarantined: "bad",
  undeliverable: "bad",
  untried: "bad",
  waiting: "open",
};

function KindBadge({ kind }: Pick<QuarantinedItem, "kind">) {
  return <Badge tone={tones[kind]}>{kindWords[kind].title}</Badge>;
}

interface ListProps {
  readonly items: readonly QuarantinedItem[];
  /** Undefined if nothing can be changed. */
  readonly choice: Choice | undefined;
  /** The order to which the list is limited. */
  readonly order: string | undefined;
}

export function QuarantineTable({ items, choice, order }: ListProps) {
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

function Why({ item, order }: { readonly item: QuarantinedItem } & Pick<ListProps, "order">) {
  const more = detailText(item);
  return (
    <>
      <Link to={addressOf(["quarantine", item.id], { order })}>{reasonText(item.reason)}</Link>{" "}
      <KindBadge kind={item.kind} />
      {more !== "" && <span class="below quiet">{more}</span>}
    </>
  );
}
