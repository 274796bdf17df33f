import type { QuarantinedItem } from "../../../operations/quarantine/quarantined-item.ts";
import { type Choice, Choose } from "../parts/choice.tsx";
import { Outside } from "../parts/outside.tsx";
import { Badge } from "../parts/small.tsx";
import { Ago } from "../parts/time.tsx";
import { addressOf, Link } from "../router.tsx";
import { About } from "./about.tsx";
import { kinds, missingText, nameOf, places, reasonText } from "./words.ts";

interface ListProps {
  readonly items: readonly QuarantinedItem[];
  readonly choice: Choice;
  readonly canChoose: boolean;
  /** The order to which the look is limited. */
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
          <th scope="col">Kept as</th>
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
  const { title, tone } = kinds[item.kind];
  const more = missingText(item) ?? item.detail;
  return (
    <>
      <td class="wide">
        <Link to={addressOf(["quarantine", item.id], { order })}>{reasonText(item)}</Link>{" "}
        <Badge tone={tone}>{title}</Badge>
        {more !== undefined && <span class="below quiet">{more}</span>}
      </td>
      <td data-label="About">
        <About item={item} />
      </td>
      <td data-label="Merchant" class="name">
        <Outside text={item.merchantId ?? "–"} />
      </td>
      <td data-label="Since" class="number">
        <Ago at={item.at} />
      </td>
      <td data-label="Kept as">{places[item.where]}</td>
    </>
  );
}
