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
    when: "The body is not JSON in UTF-8, a name comes twice in one object, or at least one field breaks a rule.",
    whatToDo: "Fix the fields listed in `errors` and send the request again.",
  },
  "body-too-large": {
    status: 413,
    title: "The body is too large",
    when: "The body has more than 1 MiB.",
    whatToDo: "Send an order of at most 1 MiB.",
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
    when: "An order with this `orderNo` and different content was created before. `errors` names the fields that differ. The payment and expiry times, `callbackUrl`, and how an amount is written do not count.",
    whatToDo:
      "To repeat the existing order, send the fields in `errors` as the first time. Use another `orderNo` only for another purchase: for the same one, the consumer could pay twice.",
  },
  "order-exists": {
    status: 409,
    title: "The payment service already has the order",
    when: "The payment service has reported on this `orderNo`, but no payment for it was created here: the order was created elsewhere or rejected, or the response to its creation was lost and the order has not ended. Or that response was lost so often that the order is not sent again.",
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
    when: "No order with this `orderNo` was created here. `detail` says if a callback that cannot be understood names it.",
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
  "service-no-answer": {
    status: 503,
    title: "The payment service did not answer the query",
    when: "The payment is not known here, and the payment service's response to the query was lost or cannot be read.",
    whatToDo: sendAgain,
  },
  "service-answer-incomplete": {
    status: 502,
    title: "The payment service's response is incomplete",
    when: "The payment service created the payment in `paymentId`, but its response lacks a usable checkout address, or is not as its interface says. The payment is stored and queried.",
    whatToDo:
      "Call GET /orders/{orderNo} for its status, and ask the operator of this stack. A repeat creates nothing while the payment may be open. Do not create the order under another `orderNo`: the consumer could pay twice.",
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
