import type { ListedOrder } from "../../../operations/orders/listed-order.ts";
import { useStack } from "../stack.ts";
import { FlagBadges } from "./meaning.tsx";
import { Money, OrderLink, Outside, Status } from "./small.tsx";
import { type Column, Table } from "./table.tsx";
import { Ago } from "./time.tsx";

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
    ...{ head: "Status", word: "status" },
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
      {outcomeUnknown && <span class="open-text">creation not answered</span>}
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
