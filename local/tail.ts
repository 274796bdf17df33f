import {
  DeleteMessageCommand,
  type Message,
  QueueDoesNotExist,
  ReceiveMessageCommand,
  type SQSClient,
} from "@aws-sdk/client-sqs";
import { PaycastError } from "../shared/paycast-error.ts";
import { createAwsClients } from "./aws/aws-clients.ts";
import type { StackDescription } from "./describe-stack.ts";
import { readDescription } from "./description-file.ts";

/** `npm run tail -- SUBSCRIBER`: prints a subscriber's events and removes them from the queue. */
async function main(): Promise<void> {
  const directory = process.env["PAYCAST_DIRECTORY"] ?? ".paycast";
  const description = readDescription(directory);
  if (description === undefined)
    throw stopped("No local stack is running here. Start it with npm start.");
  const queueUrl = findQueue(description, process.argv[2]);
  const { sqs } = createAwsClients(description.aws);
  for (;;)
    for (const message of await receive(sqs, queueUrl)) await consume(sqs, queueUrl, message);
}

function findQueue({ queues }: StackDescription, name: string | undefined): string {
  const found = name === undefined ? undefined : queues.subscribers[name];
  if (found !== undefined) return found.url;
  const names = Object.keys(queues.subscribers).join(", ");
  throw stopped(`Give the name of a subscriber: npm run tail -- NAME. The stack has: ${names}.`);
}

async function receive(sqs: SQSClient, QueueUrl: string): Promise<Message[]> {
  try {
    const command = new ReceiveMessageCommand({
      QueueUrl,
      WaitTimeSeconds: 20,
      MaxNumberOfMessages: 10,
    });
    return (await sqs.send(command)).Messages ?? [];
  } catch (cause) {
    if (cause instanceof QueueDoesNotExist)
      throw stopped("The subscriber's queue no longer exists.");
    throw stopped("The local stack has stopped.");
  }
}

/** Prints before it deletes: if the process stops in between, the event is shown twice and not lost. */
async function consume(sqs: SQSClient, QueueUrl: string, message: Message): Promise<void> {
  console.log(message.Body);
  await sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle: message.ReceiptHandle }));
}

function stopped(message: string): PaycastError {
  return new PaycastError("local-tail-stopped", message);
}

try {
  await main();
} catch (error) {
  console.error(error instanceof PaycastError ? error.message : error);
  process.exit(1);
}
