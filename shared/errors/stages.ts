/**
 * Where something failed. `request`: reading what a caller sent. `authentication`: whether a callback or a message is
 * genuine. `keys`: reading the keys. `table`: DynamoDB. `inbox`: SQS, between receiving and processing. `service`: the
 * call to the payment service. `result`: understanding what it reported. `delivery`: a subscriber's queue. `function`:
 * our own code and its time.
 */
export const stages = [
  "request",
  "authentication",
  "keys",
  "table",
  "inbox",
  "service",
  "result",
  "delivery",
  "function",
] as const;
export type Stage = (typeof stages)[number];
