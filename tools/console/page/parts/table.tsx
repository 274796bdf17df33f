import { type ComponentChildren, Fragment } from "preact";
import type { Word } from "../../../../shared/glossary.ts";
import type { ListedOrder } from "../../../operations/orders/listed-order.ts";
import { useStack } from "../use-view.ts";
import { Money, OrderLink, Outside, Status } from "./elements.tsx";
import { type Choice, Choose } from "./fields.tsx";
import { FlagBadges } from "./flags.tsx";
import { Meaning } from "./meaning.tsx";
import { Ago } from "./time.tsx";

export interface Column<Row> {
  /** On a narrow screen, where a table becomes a list, it labels each cell. */
  readonly head: string;
  /** The glossary word of the head. */
  readonly word?: Word | undefined;
  /** "wide" is the first line of a row on a narrow screen and has no label. */
  readonly look?: "wide" | "number" | "name" | "payment" | "right" | "right number";
  readonly cell: (row: Row) => ComponentChildren;
}

interface TableProps<Row> {
  readonly rows: readonly Row[];
  readonly columns: readonly (Column<Row> | false)[];
  readonly idOf: (row: Row) => string;
  /** Undefined if rows cannot be selected. */
  readonly choice?: Choice | undefined;
  /** Names a selected row for a screen reader. */
  readonly nameOf?: (row: Row) => string;
  readonly class?: string;
  readonly rowClass?: (row: Row) => string | undefined;
  /** The content below an open row. */
  readonly below?: (row: Row) => ComponentChildren;
}

export function Table<Row>(props: TableProps<Row>) {
  const { rows, columns, idOf, choice, nameOf = idOf, rowClass, below } = props;
  const shown = columns.filter((column) => column !== false);
  return (
    <table class={props.class}>
      <thead>
        <tr>
          {choice && (
            <th scope="col" class="tick">
              <Choose choice={choice} ids={rows.map(idOf)} label="Select all" />
            </th>
          )}
          {shown.map(({ head, word, look }) => (
            <th key={head} scope="col" class={look}>
              {head} {word && <Meaning of={word} />}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => {
          const more = below?.(row);
          return (
            <Fragment key={idOf(row)}>
              <tr class={rowClass?.(row)}>
                {choice && (
                  <td class="tick">
                    <Choose choice={choice} ids={[idOf(row)]} label={`Select ${nameOf(row)}`} />
                  </td>
                )}
                {shown.map(({ head, look, cell }) => (
                  <td key={head} data-label={head} class={look}>
                    {cell(row)}
                  </td>
                ))}
              </tr>
              {more && (
                <tr class="details">
                  <td class="wide" colSpan={shown.length}>
                    {more}
                  </td>
                </tr>
              )}
            </Fragment>
          );
        })}
      </tbody>
    </table>
  );
}

export function OrderTable({ orders }: { readonly orders: readonly ListedOrder[] }) {
  const hasMerchants = useStack().merchants.length > 1;
  return (
    <Table
      class="orders"
      rows={orders}
      idOf={({ merchantId, orderNo }) => JSON.stringify([merchantId, orderNo])}
      columns={[
        { head: "Order", cell: (order) => <OrderLink {...order} /> },
        hasMerchants && { head: "Merchant", cell: ({ merchantId }) => merchantId },
        ...columns,
      ]}
    />
  );
}

const columns: readonly Column<ListedOrder>[] = [
  {
    head: "Status",
    word: "status",
    cell: (order) => <StatusCell order={order} />,
  },
  { head: "Amount", look: "right", cell: (order) => <AmountCell order={order} /> },
  {
    head: "Payment",
    look: "payment",
    cell: ({ paymentIds }) => <code title={paymentIds.join("\n")}>{paymentIds.at(-1) ?? "–"}</code>,
  },
  { head: "Created", look: "right number", cell: ({ since }) => <Ago at={since} /> },
];

function StatusCell({ order }: { readonly order: ListedOrder }) {
  const { status, refusal, outcomeUnknown, flags } = order;
  return (
    <span class="badges">
      <Status status={status} />
      {refusal !== undefined && (
        <span class="quiet">
          <code>{refusal.code}</code> <Outside text={refusal.msg} />
        </span>
      )}
      {outcomeUnknown && <span class="open-text">creation outcome unknown</span>}
      <FlagBadges flags={flags} />
    </span>
  );
}

function AmountCell({ order: { amount, refundedAmount } }: { readonly order: ListedOrder }) {
  return (
    <div>
      <Money amount={amount} />
      {refundedAmount !== undefined && (
        <div class="quiet">
          <Money amount={refundedAmount} /> refunded
        </div>
      )}
    </div>
  );
}
