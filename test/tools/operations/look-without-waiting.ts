import { ReceiveMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import { afterAll, beforeAll } from "vitest";
import { holdMilliseconds } from "../../../tools/operations/ports/queues.ts";

/**
 * The emulator is one server: an operator who looks into a queue finds at once what a long poll of SQS would find, and
 * does not wait for the end of a queue.
 */
export function useLooksWithoutWaiting(): void {
  const { send } = SQSClient.prototype;
  const sendAtOnce = function (this: SQSClient, command: object, ...how: unknown[]) {
    // The stack's own pollers hold messages for another time.
    const isLook =
      command instanceof ReceiveMessageCommand &&
      command.input.VisibilityTimeout === holdMilliseconds / 1000;
    if (isLook) command.input.WaitTimeSeconds = 0;
    return Reflect.apply(send, this, [command, ...how]);
  };
  beforeAll(() => void Object.assign(SQSClient.prototype, { send: sendAtOnce }));
  afterAll(() => void Object.assign(SQSClient.prototype, { send }));
}
