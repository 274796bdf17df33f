import { Duration, Stack, type StackProps } from "aws-cdk-lib";
import { Code, Function as LambdaFunction, Runtime } from "aws-cdk-lib/aws-lambda";
import { SqsEventSource } from "aws-cdk-lib/aws-lambda-event-sources";
import type { IQueue } from "aws-cdk-lib/aws-sqs";
import type { Construct } from "constructs";

interface ShippingStackProps extends StackProps {
  readonly events: IQueue;
}

/** Owned by the shipping team: reads its queue with a function. */
export class ShippingStack extends Stack {
  constructor(scope: Construct, id: string, { events, ...props }: ShippingStackProps) {
    super(scope, id, props);
    const shipOrder = new LambdaFunction(this, "ShipOrder", {
      description: "Ships what has been paid",
      code: Code.fromAsset("bundle"),
      handler: "index.handler",
      runtime: Runtime.NODEJS_24_X,
      // At most consumerTimeoutSeconds of the subscriber: the queue hides a message for six times as long.
      timeout: Duration.seconds(20),
    });
    shipOrder.addEventSource(
      new SqsEventSource(events, { reportBatchItemFailures: true, maxConcurrency: 5 }),
    );
  }
}
