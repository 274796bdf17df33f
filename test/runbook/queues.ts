import {
  CreateQueueCommand,
  DeleteQueueCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  type SQSClient,
} from "@aws-sdk/client-sqs";

/** Deletes a queue. Gives back how to create it as the template has it. */
export async function deleteQueue(sqs: SQSClient, QueueUrl: string): Promise<CreateQueueCommand> {
  const command = new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ["All"] });
  const { Attributes = {} } = await sqs.send(command);
  await sqs.send(new DeleteQueueCommand({ QueueUrl }));
  const told = /^(QueueArn|Approximate|Created|LastModified)/;
  const kept = Object.entries(Attributes).filter(([attribute]) => !told.test(attribute));
  return new CreateQueueCommand({
    QueueName: QueueUrl.split("/").at(-1),
    Attributes: Object.fromEntries(kept),
  });
}

/** A consumer that receives an event so often and never deletes it. At the next receive SQS moves it away. */
export async function failOn(sqs: SQSClient, QueueUrl: string, times: number): Promise<void> {
  const receive = { QueueUrl, MaxNumberOfMessages: 10, VisibilityTimeout: 0 };
  for (let count = 0; count <= times; count += 1) {
    await sqs.send(new ReceiveMessageCommand(receive));
  }
}
