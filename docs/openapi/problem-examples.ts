import { type ProblemKind, problemOf } from "../../shared/storefront/problem.ts";

/** One for each kind of problem; `order-unknown` and the like are the same wherever they occur. */
export const problems: Record<ProblemKind, object> = {
  "body-invalid": problemOf("body-invalid", "Mend the 2 faults in errors.", {
    errors: [
      {
        pointer: "/order/orderAmount",
        detail:
          "order.orderAmount must be 12.30, the sum of goodsAmount times goodsQuantity over the goods.",
      },
      {
        pointer: "/redirectUrl",
        detail:
          "redirectUrl must begin with one of https://shop.example.com, myshop:, the redirectOrigins of the stack's config.",
      },
    ],
  }),
  "body-too-large": problemOf("body-too-large", "An order is at most 256 KiB of JSON."),
  "merchant-unknown": problemOf(
    "merchant-unknown",
    "The merchantId is not one of the stack's config.",
  ),
  "order-differs": problemOf(
    "order-differs",
    "An order with this orderNo and another content exists.",
  ),
  "order-exists": problemOf(
    "order-exists",
    "The answer to its creation was lost, but the service has told of it since. Ask GET /orders/{orderNo} for its status; to have it paid anew, create an order with another orderNo.",
  ),
  "order-in-progress": problemOf(
    "order-in-progress",
    "The same order is on its way to the service. Send it again after a moment.",
    { retryAfterSeconds: 5 },
  ),
  "order-unknown": problemOf("order-unknown", "No order with this orderNo was created here."),
  "payment-unknown": problemOf(
    "payment-unknown",
    "The payment is known neither here nor, it seems, to the service.",
    { service: { code: "40401", msg: "paymentId is not known" } },
  ),
  "service-refused": problemOf(
    "service-refused",
    "Mend what the service names, and send the order again.",
    { service: { code: "40902", msg: "orderNo was used before" } },
  ),
  "service-unreachable": problemOf(
    "service-unreachable",
    "Nothing was sent. The same order may be sent again.",
    { retryAfterSeconds: 5 },
  ),
  "outcome-unknown": problemOf(
    "outcome-unknown",
    "The order may or may not exist at the service. Send the same order again, or wait for its callback.",
    { retryAfterSeconds: 1 },
  ),
  unavailable: problemOf("unavailable", "Something on our side failed. Try again in a moment.", {
    retryAfterSeconds: 5,
  }),
};

/** Where a payment is asked for there is nothing to send again. */
export const paymentUnreachable = problemOf(
  "service-unreachable",
  "The payment is not known here, and the service did not answer. Try again.",
  { retryAfterSeconds: 5 },
);
