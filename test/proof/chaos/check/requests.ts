/** How the shop's records name a request that creates an order. */
export const creation = "POST /orders";
/** Another amount under the number of an order that was confirmed. */
export const otherCreation = "POST /orders with another amount";
