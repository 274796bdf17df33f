import { App } from "aws-cdk-lib";
import { ConsumerStack } from "./consumer-stack.js";

const queueArn = process.env["QUEUE_ARN"];
if (queueArn === undefined) {
  throw new Error("QUEUE_ARN must be set to the output Subscriber…QueueArn of the Paycast stack.");
}
// A queue can only be read in its own region.
const region = queueArn.split(":")[3];
new ConsumerStack(new App(), "Shipping", { queueArn, env: { region } });
