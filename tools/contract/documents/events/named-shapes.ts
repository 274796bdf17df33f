import {
  orderEventDataSchema,
  orderEventSchema,
  orderSnapshotSchema,
  paymentSnapshotSchema,
  refundEventDataSchema,
} from "../../../../shared/events/event.ts";
import {
  amountSchema,
  paymentDetailsSchema,
  refundAmountSchema,
  refundSchema,
} from "../../../../shared/orders/schemas.ts";

/** The parts of an event, by their names in documents and in the package. */
export const namedShapes = {
  OrderEventData: orderEventDataSchema,
  RefundEventData: refundEventDataSchema,
  OrderSnapshot: orderSnapshotSchema,
  PaymentSnapshot: paymentSnapshotSchema,
  PaymentDetails: paymentDetailsSchema,
  Refund: refundSchema,
  Amount: amountSchema,
  AmountWithoutCurrency: refundAmountSchema.def.options[1],
  // The envelopes of both kinds differ only in `type`, `dataschema` and `data`.
  Envelope: orderEventSchema,
};

export type ShapeName = keyof typeof namedShapes;
/** The envelope has a section of its own on the page, and is the root of each schema. */
export type PartName = Exclude<ShapeName, "Envelope">;
