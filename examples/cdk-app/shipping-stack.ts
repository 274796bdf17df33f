import { Duration, Stack, type StackProps } from "aws-cdk-lib";
import { Code, Function as LambdaFunction, Runtime } from "aws-cdk-lib/aws-lambda";
import type { Construct } from "constructs";
import { PaycastConsumer, type PaycastQueue } from "paycast";

interface ShippingStackProps extends StackProps {
  readonly events: PaycastQueue;
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
      timeout: Duration.seconds(20),
    });
    new PaycastConsumer(this, "Events", { queue: events, function: shipOrder, maxConcurrency: 5 });
  }
}
