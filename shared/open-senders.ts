/** The meaning of a config without `operators`. The app and `npx paycast check` print it. */
export const anyoneMaySend =
  "No operators are configured: IAM alone decides who may send to the queues. Set operators (docs/configuration.md).";
