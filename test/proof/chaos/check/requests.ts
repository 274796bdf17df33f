/** How the shop's records name a request that creates an order. */
export const creation = "POST /orders";
/** An order that the payment service rejected. The shop then corrects it. */
export const rejectedCreation = "POST /orders before its correction";
/** Another amount under the number of an order that was confirmed. */
export const otherCreation = "POST /orders with another amount";

/** Whether a request may send its order to the payment service. */
export function isCreation({ request }: { readonly request: string }): boolean {
  return request === creation || request === rejectedCreation;
}

/** What the storefront sends to create an order. */
export interface StorefrontBody {
  readonly merchantId: string;
  readonly channel: "WEB";
  readonly paymentAmount: string | number;
  readonly currency: string;
  readonly redirectUrl?: string;
  readonly order: {
    readonly orderNo: string;
    readonly orderDescription?: string;
    readonly orderAmount: string | number;
    readonly goods: readonly {
      readonly referenceGoodsId: string;
      readonly goodsName: string;
      readonly goodsAmount: string | number;
      readonly goodsQuantity: number;
    }[];
  };
}

interface Named {
  readonly orderNo: string;
  readonly merchantId: string;
}

/** Where an order is, as the API describes it. A number that needs escapes is in the query string. */
export function addressOf({ orderNo, merchantId }: Named): string {
  const escaped = encodeURIComponent(orderNo);
  const merchant = `merchantId=${merchantId}`;
  return escaped === orderNo
    ? `/orders/${orderNo}?${merchant}`
    : `/orders/-?orderNo=${escaped}&${merchant}`;
}
