import type { TestOrderBody } from "../service/test-order.ts";

/** An order as a storefront sends it: §2.3 without times and callback address, which the merchant's system adds. */
export type StorefrontOrder = TestOrderBody & { readonly merchantId: string };

export type PlacedOrder = { readonly paymentId: string } | { readonly refused: string };

/** The merchant's own system, if it runs beside the simulator. `onRotate` then stores new keys in it. */
export interface MerchantSystem {
  /** As the pages name it. */
  readonly name: string;
  /** Makes an order through the merchant's own API, so that it exists on both sides. */
  readonly placeOrder: (order: StorefrontOrder) => Promise<PlacedOrder>;
  /** Its first page; undefined while it has none. */
  readonly homeUrl: () => string | undefined;
  /** Where the merchant's system shows an order; undefined while it cannot. */
  readonly orderUrl: (merchantId: string, orderNo: string) => string | undefined;
}
