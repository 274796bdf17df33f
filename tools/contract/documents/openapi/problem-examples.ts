import type { ProblemCode } from "../../../../shared/errors/error-codes.ts";
import { problemOf, usualProblem } from "../../../../shared/storefront/problem.ts";
import { orderDiffers } from "../../../../shared/storefront/refuse-unless-created.ts";

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
  "order-differs": orderDiffers(["paymentAmount"]).problem,
  "order-exists": problemOf(
    "order-exists",
    "The payment service has reported on an order with this orderNo, so it is not sent again: it could be paid twice. GET /orders/{orderNo} returns its status. If the consumer has to pay again, create an order with another orderNo.",
  ),
  "order-in-progress": problemOf(
    "order-in-progress",
    "Another request is sending the same order to the service. Send it again after a moment.",
    { retryAfterSeconds: 5 },
  ),
  "service-no-answer": usualProblem("service-no-answer", { retryAfterSeconds: 5 }),
  "service-answer-incomplete": usualProblem("service-answer-incomplete", {
    paymentId: "4c1f9a0f7d2b4e0b9a3e6d5c2b1a0f9e",
  }),
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

/** For POST /orders, where the merchant is a field of the body. */
export const creationProblems = {
  "merchant-unknown": usualProblem("merchant-unknown", {
    errors: [
      {
        pointer: "/merchantId",
        detail: "merchantId must be a merchant of the stack's config.",
      },
    ],
  }),
};
