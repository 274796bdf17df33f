/** The page of an order, which is also where the payment service sends the customer back to. */
export function orderPath(orderNo: string): string {
  return `/orders/${encodeURIComponent(orderNo)}`;
}
