import type { ItemKind, QuarantinedItem } from "../../../operations/quarantine/item.ts";
import {
  aboutOf,
  detailText,
  kindWords,
  nameOf,
  reasonText,
} from "../../../operations/quarantine/words.ts";
import type { Choice } from "../parts/fields.tsx";
import { ReportCell } from "../parts/report.tsx";
import { Badge, Outside, type Tone } from "../parts/small.tsx";
import { Table } from "../parts/table.tsx";
import { Ago } from "../parts/time.tsx";
import { addressOf, Link } from "../router.tsx";

const tones: Readonly<Record<ItemKind, Tone>> = {
  quarantined: "bad",
  undeliverable: "bad",
  untried: "bad",
  waiting: "open",
};

export function KindBadge({ kind }: Pick<QuarantinedItem, "kind">) {
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
