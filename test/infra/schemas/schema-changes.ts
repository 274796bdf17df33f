// biome-ignore lint/suspicious/noExplicitAny: a test changes whatever it wants.
export type Editable = any;

/** Changes of `payment.refund.success` that the check refuses: by which rule, and where. */
export const refusals: [
  what: string,
  rule: string,
  at: string,
  change: (schema: Editable) => void,
][] = [
  [
    "a required field that is removed",
    "field-removed",
    "/traceparent",
    ({ properties, required }) => {
      delete properties.traceparent;
      required.splice(required.indexOf("traceparent"), 1);
    },
  ],
  [
    "an optional field that is removed",
    "field-removed",
    "/data/reason",
    ({ $defs }) => delete $defs.RefundEventData.properties.reason,
  ],
  [
    "a field that may be missing from now on",
    "field-made-optional",
    "/data/payment",
    ({ $defs }) =>
      $defs.RefundEventData.required.splice($defs.RefundEventData.required.indexOf("payment"), 1),
  ],
  [
    "the amount of a success that may be missing from now on",
    "field-made-optional",
    "/data/amount",
    ({ properties }) => delete properties.data.required,
  ],
  [
    "a field that must be there from now on: older events are replayed",
    "field-made-required",
    "/subject",
    ({ required }) => required.push("subject"),
  ],
  [
    "a new field that must be there: older events are replayed",
    "new-field-required",
    "/data/wallet",
    ({ $defs }) => {
      $defs.RefundEventData.properties.wallet = { type: "string" };
      $defs.RefundEventData.required.push("wallet");
    },
  ],
  [
    "another type",
    "constraint-changed",
    "/data/payment/refundedAmount/minor",
    ({ $defs }) => {
      $defs.Amount.properties.minor = { type: "integer" };
    },
  ],
  [
    "a type that is one of several from now on",
    "constraint-changed",
    "/data/refundNo",
    ({ $defs }) => {
      $defs.RefundEventData.properties.refundNo.type = ["string", "null"];
    },
  ],
  [
    "a new value of a closed list",
    "constraint-changed",
    "/data/payment/refunds/items/status",
    ({ $defs }) => $defs.Refund.properties.status.enum.push("refund_reversed"),
  ],
  [
    "a value of a closed list that is never sent again",
    "constraint-changed",
    "/data/payment/refunds/items/status",
    ({ $defs }) => $defs.Refund.properties.status.enum.pop(),
  ],
  [
    "an open list that is closed",
    "constraint-changed",
    "/origin",
    ({ properties }) => {
      properties.origin.enum = ["callback", "query"];
    },
  ],
  [
    "a known value of an open list that is never sent again",
    "known-value-removed",
    "/data/flags/items",
    ({ $defs }) => $defs.RefundEventData.properties.flags.items.examples.shift(),
  ],
  [
    "a pattern that changes",
    "constraint-changed",
    "/sequence",
    ({ properties }) => {
      properties.sequence.pattern = "^[0-9]+$";
    },
  ],
  [
    "a constant that changes",
    "constraint-changed",
    "/dataschema",
    ({ properties }) => {
      properties.dataschema.const = "urn:paycast:schema:payment-refund-event:2";
    },
  ],
  [
    "a new alternative",
    "constraint-changed",
    "/data/amount",
    ({ $defs }) => $defs.RefundEventData.properties.amount.anyOf.push({ type: "string" }),
  ],
  [
    "a list of something else",
    "constraint-changed",
    "/data/payment/refunds/items",
    ({ $defs }) => {
      $defs.PaymentSnapshot.properties.refunds.items = { type: "string" };
    },
  ],
  [
    "a list whose items become a choice about the list",
    "constraint-changed",
    "/data/payment/refunds",
    ({ $defs }) => {
      const { items, ...list } = $defs.PaymentSnapshot.properties.refunds;
      $defs.PaymentSnapshot.properties.refunds = { ...list, anyOf: [items] };
    },
  ],
  [
    "another dialect, in which the same words mean something else",
    "constraint-changed",
    "",
    (schema) => {
      schema.$schema = "http://json-schema.org/draft-07/schema#";
    },
  ],
  [
    "fields that are forbidden from now on",
    "constraint-changed",
    "/data",
    ({ $defs }) => {
      $defs.RefundEventData.additionalProperties = false;
    },
  ],
];

/** Changes that it allows. */
export const permissions: [what: string, change: (schema: Editable) => void][] = [
  ["no change", () => undefined],
  [
    "a new optional field",
    ({ $defs }) => {
      $defs.RefundEventData.properties.wallet = { type: "string" };
    },
  ],
  [
    "a name that no event ever had, which is now refused",
    ({ $defs }) => {
      $defs.AmountWithoutCurrency.properties.exponent = { not: {} };
    },
  ],
  ["a new flag", ({ $defs }) => $defs.RefundEventData.properties.flags.items.examples.push("new")],
  ["a new origin", ({ properties }) => properties.origin.examples.push("import")],
  [
    "another description",
    ({ properties }) => {
      properties.id.description = "Other words.";
    },
  ],
  [
    "a field that is marked as deprecated",
    ({ properties }) => {
      properties.subject.deprecated = true;
    },
  ],
  [
    "a shape with another name",
    (schema) => {
      const text = JSON.stringify(schema).replaceAll('"#/$defs/Amount"', '"#/$defs/Money"');
      Object.assign(schema, JSON.parse(text));
      schema.$defs.Money = schema.$defs.Amount;
      delete schema.$defs.Amount;
    },
  ],
];
