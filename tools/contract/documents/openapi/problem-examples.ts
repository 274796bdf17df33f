import type { ProblemCode } from "../../../../shared/errors/error-codes.ts";
import { problemOf, usualProblem } from "../../../../shared/storefront/problem.ts";

/** An example of each kind of problem. */
export const problems: Record<ProblemCode, object> = {
  "body-invalid": usualProblem("body-invalid", {
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
  "body-too-large": usualProblem("body-too-large"),
  "merchant-unknown": problemOf(
    "merchant-unknown",
    "No merchant of this stack has this `merchantId`. Use one that the stack is configured for.",
  ),
  "order-differs": problemOf(
    "order-differs",
    "An order with this orderNo and different content exists.",
  ),
  "order-exists": problemOf(
    "order-exists",
    "The payment service has reported on an order with this orderNo, so it is not sent again: it could be paid twice. GET /orders/{orderNo} returns its status. If the consumer has to pay again, create an order with another orderNo.",
  ),
  "order-in-progress": problemOf(
    "order-in-progress",
    "Another request is sending the same order to the service. Send it again after a moment.",
    { retryAfterSeconds: 5 },
  ),
  "order-unknown": problemOf("order-unknown", "No order with this orderNo was created here."),
  "payment-unknown": problemOf(
    "payment-unknown",
    "No payment with this id is known here, and the payment service rejected the query about it.",
    { service: { code: "40401", msg: "paymentId is not known" } },
  ),
  "route-unknown": usualProblem("route-unknown"),
  "service-refused": usualProblem("service-refused", {
    service: { code: "40902", msg: "orderNo was used before" },
  }),
  "service-busy": usualProblem("service-busy", {
    retryAfterSeconds: 5,
    service: { code: "42900", msg: "too many requests" },
  }),
  "service-unreachable": usualProblem("service-unreachable", { retryAfterSeconds: 5 }),
  "outcome-unknown": usualProblem("outcome-unknown", { retryAfterSeconds: 1 }),
  unavailable: usualProblem("unavailable", { retryAfterSeconds: 5 }),
};

/** For GET /payments/{paymentId}, where no order was sent. */
export const paymentProblems = {
  "service-unreachable": problemOf(
    "service-unreachable",
    "The payment is not known here, and the service did not respond. Try again.",
    { retryAfterSeconds: 5 },
  ),
};
