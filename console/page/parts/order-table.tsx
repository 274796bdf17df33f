import type { ListedOrder } from "../../../operations/orders/listed-order.ts";
import { FlagBadges } from "./flags.tsx";
import { Meaning } from "./meaning.tsx";
import { Money, OrderLink } from "./order-bits.tsx";
import { Outside } from "./outside.tsx";
import { Status } from "./small.tsx";
import { Ago } from "./time.tsx";

interface OrderTableProps {
  readonly orders: readonly ListedOrder[];
  readonly hasMerchants: boolean;
}

export function OrderTable({ orders, hasMerchants }: OrderTableProps) {
  return (
    <table class="orders">
      <thead>
        <tr>
          <th scope="col">Order</th>
          {hasMerchants && <th scope="col">Merchant</th>}
          <th scope="col">
            Status <Meaning of="status" />
          </th>
          <th scope="col" class="right">
            Amount
          </th>
          <th scope="col" class="payment">
            Payment
          </th>
          <th scope="col" class="right">
            Created
          </th>
        </tr>
      </thead>
      <tbody>
        {orders.map((order) => (
          <OrderRow
            key={JSON.stringify([order.merchantId, order.orderNo])}
            order={order}
            hasMerchants={hasMerchants}
          />
        ))}
      </tbody>
    </table>
  );
}

function OrderRow({ order, hasMerchants }: { order: ListedOrder; hasMerchants: boolean }) {
  const { orderNo, merchantId, status, amount, refundedAmount, flags, paymentIds } = order;
  return (
    <tr>
      <td data-label="Order">
        <OrderLink orderNo={orderNo} merchantId={merchantId} />
      </td>
      {hasMerchants && <td data-label="Merchant">{merchantId}</td>}
      <td data-label="Status">
        <span class="badges">
          <Status status={status} />
          {order.refusal !== undefined && (
            <span class="quiet">
              <code>{order.refusal.code}</code> <Outside text={order.refusal.msg} />
            </span>
          )}
          {order.outcomeUnknown && <span class="open-text">creation not answered</span>}
          <FlagBadges flags={flags} />
        </span>
      </td>
      <td data-label="Amount" class="right">
        <div>
          <Money amount={amount} />
          {refundedAmount !== undefined && (
            <div class="quiet">
              <Money amount={refundedAmount} /> refunded
            </div>
          )}
        </div>
      </td>
      <td data-label="Payment" class="payment">
        <code title={paymentIds.join("\n")}>{paymentIds.at(-1) ?? "–"}</code>
      </td>
      <td data-label="Created" class="right number">
        <Ago at={order.since} />
      </td>
    </tr>
  );
}
