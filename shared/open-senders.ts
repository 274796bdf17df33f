/** What a stack without `operators` in its config means. The app and `npx paycast check` say the same. */
export const anyoneMaySend =
  "No operators are configured: IAM alone decides who may send to the queues (docs/configuration.md).";
