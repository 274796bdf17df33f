import * as z from "zod";

/** Reserved instances are not available to the account's other functions; 0 would switch the function off. */
const reserved = z.int().min(1).max(10_000).optional();

export const concurrencySchema = z
  .strictObject({
    receiveCallback: reserved,
    processCallback: reserved,
    createOrder: reserved,
    queryOrder: reserved,
    reconcileOrders: reserved,
    /**
     * How many batches of the inbox are processed at once. A new account may run only 10 functions at a time:
     * five leaves half of that for receive-callback and the storefront. Five batches of 10 messages, at some
     * 200 ms a batch, are about 250 callbacks a second.
     */
    inbox: z.int().min(2).max(1000).default(5),
  })
  .refine(
    ({ inbox, processCallback }) => processCallback === undefined || inbox <= processCallback,
    {
      path: ["inbox"],
      message: "must be at most processCallback: Lambda would throttle the batches beyond it",
    },
  );

/** Whether it names functions that only a stack with a payment service has. */
export function reservesStorefront(concurrency: z.output<typeof concurrencySchema>): boolean {
  const { createOrder, queryOrder, reconcileOrders } = concurrency;
  return [createOrder, queryOrder, reconcileOrders].some((instances) => instances !== undefined);
}
