import { GatewayError } from "../gateway/gateway-error.ts";
import type { Beginning } from "../orders/creation.ts";
import { faultAt, ProblemError } from "./problem.ts";

/** Throws the problem that keeps the order from being sent, unless it was created before. */
export function refuseUnlessCreated(beginning: Exclude<Beginning, { kind: "begun" }>): void {
  switch (beginning.kind) {
    case "created":
      return;
    case "differs":
      throw orderDiffers(beginning.fields);
    case "in-progress": {
      const seconds = Math.ceil(beginning.remainingMilliseconds / 1000);
      const detail =
        "Another request is sending the same order to the service. Send it again after a moment.";
      const retryAfterSeconds = Math.min(5, Math.max(1, seconds));
      throw new ProblemError("order-in-progress", detail, { retryAfterSeconds });
    }
    case "incomplete":
      throw new GatewayError("incomplete", { paymentId: beginning.paymentId });
    case "refused":
      throw new GatewayError("refused", { refusal: beginning.refusal });
    case "known-to-service":
      throw new ProblemError("order-exists", knownDetail);
    case "exhausted":
      throw new ProblemError("order-exists", exhaustedDetail);
  }
}

/** Only the names of the fields are known: no content is stored. */
export function orderDiffers(fields: readonly string[]): ProblemError {
  const detail = `An order with this orderNo exists, and it differs in ${fields.join(", ")}. To repeat it, send these fields as the first time. Another orderNo creates a second order, which could be paid in addition to this one.`;
  const errors = fields.map((name) =>
    faultAt(name.split("."), "differs from the order that exists"),
  );
  return new ProblemError("order-differs", detail, { errors });
}

/** Callbacks name no payment (§2.11), so there is no checkout address to return. */
const knownDetail =
  "The payment service has reported on an order with this orderNo, so it is not sent again: it could be paid twice. GET /orders/{orderNo} returns its status. If the consumer has to pay again, create an order with another orderNo.";
const exhaustedDetail =
  "This order was sent many times without a response. GET /orders/{orderNo} returns what is known. To try again, create an order with another orderNo.";
