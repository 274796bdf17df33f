import type { ItemKind, QuarantinedItem } from "../../../operations/quarantine/item.ts";
import { detailText, kindWords, nameOf, reasonText } from "../../../operations/quarantine/words.ts";
import { type Choice, Choose } from "../parts/choice.tsx";
import { Outside } from "../parts/outside.tsx";
import { Badge, type Tone } from "../parts/small.tsx";
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
  readonly choice: Choice;
  readonly canChoose: boolean;
  /** The order to which the list is limited. */
  readonly order: string | undefined;
}

export function QuarantineTable({ items, choice, canChoose, order }: ListProps) {
  return (
    <table>
      <thead>
        <tr>
          {canChoose && (
            <th scope="col" class="tick">
              <Choose choice={choice} ids={items.map(({ id }) => id)} label="Choose all shown" />
            </th>
          )}
          <th scope="col">Why</th>
          <th scope="col">About</th>
          <th scope="col">Merchant</th>
          <th scope="col">Since</th>
        </tr>
      </thead>
      <tbody>
        {items.map((item) => (
          <tr key={item.id}>
            {canChoose && (
              <td class="tick">
                <Choose choice={choice} ids={[item.id]} label={`Choose ${nameOf(item)}`} />
              </td>
            )}
            <Row item={item} order={order} />
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Row({ item, order }: { readonly item: QuarantinedItem } & Pick<ListProps, "order">) {
  const more = detailText(item);
  return (
    <>
      <td class="wide">
        <Link to={addressOf(["quarantine", item.id], { order })}>{reasonText(item.reason)}</Link>{" "}
        <KindBadge kind={item.kind} />
        {more !== "" && <span class="below quiet">{more}</span>}
      </td>
      <td data-label="About">
        <About item={item} />
      </td>
      <td data-label="Merchant" class="name">
        <Outside text={item.merchantId} />
      </td>
      <td data-label="Since" class="number">
        <Ago at={item.since} />
      </td>
    </>
  );
}

/** The order or payment that an item is about. */
export function About({ item: { orderNo, paymentId } }: { readonly item: QuarantinedItem }) {
  if (orderNo !== undefined) {
    return (
      <Link to={addressOf(["orders", orderNo])}>
        <Outside text={orderNo} />
      </Link>
    );
  }
  if (paymentId === undefined) return <span class="quiet">not known</span>;
  return (
    <Link to={addressOf(["find"], { text: paymentId })}>
      payment <Outside text={paymentId} />
    </Link>
  );
}
