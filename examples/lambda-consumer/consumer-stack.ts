import { Duration, Stack, type StackProps } from "aws-cdk-lib";
import { AttributeType, Billing, TableV2 } from "aws-cdk-lib/aws-dynamodb";
import { Code, Function as LambdaFunction, Runtime } from "aws-cdk-lib/aws-lambda";
import { SqsEventSource } from "aws-cdk-lib/aws-lambda-event-sources";
import { Queue } from "aws-cdk-lib/aws-sqs";
import type { Construct } from "constructs";

interface ConsumerStackProps extends StackProps {
  /** An output of the Paycast stack, such as `SubscriberFulfilmentQueueArn`. It may be in another account. */
  readonly queueArn: string;
}

/** The consumer in an app or account of its own. It needs only the ARN of its queue. */
export class ConsumerStack extends Stack {
  constructor(scope: Construct, id: string, { queueArn, ...props }: ConsumerStackProps) {
    super(scope, id, props);
    const table = new TableV2(this, "Table", {
      partitionKey: { name: "pk", type: AttributeType.STRING },
      billing: Billing.onDemand(),
      timeToLiveAttribute: "expiresAt",
    });
    const consumer = new LambdaFunction(this, "Consumer", {
      description: "Stores what to do for paid orders and refunds",
      code: Code.fromAsset("bundle"),
      handler: "handler.handler",
      runtime: Runtime.NODEJS_24_X,
      timeout: Duration.seconds(30),
      environment: { TABLE: table.tableName },
    });
    table.grant(consumer, "dynamodb:PutItem");
    const queue = Queue.fromQueueArn(this, "Queue", queueArn);
    consumer.addEventSource(new SqsEventSource(queue, { reportBatchItemFailures: true }));
  }
}
