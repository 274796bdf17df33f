import type { ProblemCode } from "../errors/error-codes.ts";

interface ProblemDescription {
  readonly status: number;
  readonly title: string;
  /** When it is returned, and what to do then, for the developer of the storefront. */
  readonly when: string;
  readonly whatToDo: string;
}

const sendAgain = "Send the same request again after the time in `Retry-After`.";

/** Every kind of problem that the storefront returns, by the last part of its `type`. */
export const problemDescriptions: Readonly<Record<ProblemCode, ProblemDescription>> = {
  "body-invalid": {
    status: 400,
    title: "The body is not a valid order",
    when: "The body is not JSON in UTF-8, or at least one field breaks a rule.",
    whatToDo: "Fix the fields listed in `errors` and send the request again.",
  },
  "body-too-large": {
    status: 413,
    title: "The body is too large",
    when: "The body has more than 256 KiB.",
    whatToDo: "Send an order of at most 256 KiB.",
  },
  "merchant-unknown": {
    status: 400,
    title: "No such merchant is configured",
    when: "The stack does not have this merchant, or it has several and the request names none.",
    whatToDo: "Name one of the stack's merchants in `merchantId`.",
  },
  "order-differs": {
    status: 409,
    title: "The order number is taken by another order",
    when: "An order with this `orderNo` and different content was created before.",
    whatToDo:
      "Use another `orderNo` for a new order. To repeat the existing order, send the same content as the first time. If its creation was `outcome-unknown`, another `orderNo` could be paid twice.",
  },
  "order-exists": {
    status: 409,
    title: "The payment service already has the order",
    when: "The payment service has reported on this `orderNo`, but no payment for it was created here: the order was created elsewhere, rejected, or the response to its creation was lost. Or that response was lost so often that the order is not sent again.",
    whatToDo:
      "Call GET /orders/{orderNo} for its status. If the consumer has to pay again, create an order with another `orderNo`.",
  },
  "order-in-progress": {
    status: 409,
    title: "The order is being created",
    when: "Another request is creating the same order at this moment.",
    whatToDo: sendAgain,
  },
  "order-unknown": {
    status: 404,
    title: "There is no such order",
    when: "No order with this `orderNo` was created here.",
    whatToDo: "Check the `orderNo` and the `merchantId`.",
  },
  "payment-unknown": {
    status: 404,
    title: "There is no such payment",
    when: "Neither this stack nor the payment service knows the payment: the service rejected the query, or returned another payment.",
    whatToDo:
      "Check the `paymentId` and the `merchantId`. If the payment service rejected the query, `service` has its code and message.",
  },
  "route-unknown": {
    status: 404,
    title: "There is no such route",
    when: "The API does not have this path with this method.",
    whatToDo: "Check the method and the path of the request.",
  },
  "service-refused": {
    status: 502,
    title: "The payment service rejected the request",
    when: "The payment service returned a code other than 20000, or HTTP 4xx. It has done nothing.",
    whatToDo:
      "Read the payment service's code and message in `service`. If they name a field, fix it and send the request again. If they name the merchant, the signature or the keys, ask the operator of this stack to check the merchant's keys.",
  },
  "service-busy": {
    status: 503,
    title: "The payment service accepts no more requests at the moment",
    when: "The payment service returned HTTP 429. It has done nothing.",
    whatToDo: sendAgain,
  },
  "service-unreachable": {
    status: 503,
    title: "The payment service cannot be reached",
    when: "The connection to the payment service could not be established in time. Nothing was sent.",
    whatToDo: sendAgain,
  },
  "outcome-unknown": {
    status: 504,
    title: "The payment service's response was lost",
    when: "The request was sent, but no response arrived in time, or one that does not say what was done (HTTP 5xx and 408). The order may exist at the payment service.",
    whatToDo:
      "Send the same order again, or wait for its callback. Do not create it under another `orderNo`: the consumer could pay twice.",
  },
  unavailable: {
    status: 503,
    title: "The request cannot be handled now",
    when: "A part of this stack failed, for example its table or its keys.",
    whatToDo: sendAgain,
  },
};

export const problemKinds: readonly ProblemCode[] = Object.freeze(
  Object.keys(problemDescriptions).filter(
    (kind): kind is ProblemCode => kind in problemDescriptions,
  ),
);
