import type { OrderList } from "../../../operations/orders/orders.ts";
import type { StackView } from "../../routes/stack-routes.ts";
import { InLab } from "../parts/in-lab.tsx";
import { OrderTable } from "../parts/order-table.tsx";
import { Empty, Shown } from "../parts/states.tsx";
import { Link } from "../router.tsx";
import type { View } from "../use-view.ts";

interface LatestOrdersProps {
  readonly list: View<Pick<OrderList, "orders">>;
  readonly stack: StackView;
}

/** The newest orders, below the flow. */
export function LatestOrders({ list, stack }: LatestOrdersProps) {
  return (
    <section class="card latest">
      <div class="line">
        <h2>Latest orders</h2>
        <Link to="/orders" class="push">
          All orders
        </Link>
      </div>
      <Shown view={list} what="the latest orders">
        {({ orders }) =>
          orders.length === 0 ? (
            <Empty title="No orders in the last two days.">
              <InLab stack={stack}>Make one and pay it:</InLab>
            </Empty>
          ) : (
            <OrderTable orders={orders} hasMerchants={stack.merchants.length > 1} />
          )
        }
      </Shown>
    </section>
  );
}
