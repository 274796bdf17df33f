import { closeSync, existsSync, fsyncSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import {
  ChangeMessageVisibilityBatchCommand,
  DeleteMessageCommand,
  ReceiveMessageCommand,
  SQSClient,
} from "@aws-sdk/client-sqs";
import { PaycastEventError, parseRecord } from "paycast-events";

const { QUEUE_URL: QueueUrl, BOOK = "book.jsonl" } = process.env;
if (!QueueUrl) throw new Error("QUEUE_URL must name the queue of your subscriber.");

const sqs = new SQSClient({});
const stopping = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => stopping.abort());
const booked = readBook();
console.log(`Reading ${QueueUrl} into ${BOOK}. Ctrl-C ends it.`);
await work();
console.log("Stopped. No message is left half done.");

/** Ends only between two batches, at most five seconds and a batch after the signal. */
async function work() {
  let failures = 0;
  while (!stopping.signal.aborted) {
    try {
      await handleBatch(await receive());
      failures = 0;
    } catch (error) {
      // The queue did not answer. What was not deleted comes again by itself.
      console.error(`The queue cannot be used: ${error.message}`);
      failures += 1;
      const pause = Math.min(1000 * 2 ** failures, 30_000);
      await wait(pause, undefined, { signal: stopping.signal }).catch(() => {});
    }
  }
}

async function receive() {
  const { Messages = [] } = await sqs.send(
    new ReceiveMessageCommand({
      ...{ QueueUrl, MaxNumberOfMessages: 10, WaitTimeSeconds: 5 },
      MessageAttributeNames: ["All"],
      MessageSystemAttributeNames: ["MessageGroupId", "ApproximateReceiveCount"],
    }),
  );
  return Messages;
}

/** In order. After a failure the rest of its group is given back, so that the events of one order stay in order. */
async function handleBatch(messages) {
  const pauses = new Map();
  const givenBack = [];
  for (const message of messages) {
    const group = message.Attributes?.MessageGroupId ?? message.MessageId;
    if (!pauses.has(group)) {
      const pause = await handleMessage(message);
      if (pause === undefined) continue;
      pauses.set(group, pause);
    }
    givenBack.push({ message, pauseSeconds: pauses.get(group) });
  }
  if (givenBack.length > 0) await giveBack(givenBack);
}

/** Deletes the message after the work, never before. Gives the pause before the next try if the work failed. */
async function handleMessage(message) {
  try {
    console.log(book(parseRecord(message)));
  } catch (error) {
    console.error(`Message ${message.MessageId} failed: ${error.message}`);
    return pauseAfter(error, Number(message.Attributes?.ApproximateReceiveCount ?? 1));
  }
  await sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle: message.ReceiptHandle }));
}

/**
 * 5, 10, 20 … seconds, so that ten receives last half an hour. No retry makes an event readable that is not: it gets
 * its ten receives at once, and is a dead letter before it holds up its order.
 */
function pauseAfter(error, receiveCount) {
  return error instanceof PaycastEventError ? 0 : Math.min(5 * 2 ** (receiveCount - 1), 900);
}

async function giveBack(messages) {
  const Entries = messages.map(({ message, pauseSeconds }, index) => ({
    ...{ Id: String(index), ReceiptHandle: message.ReceiptHandle },
    VisibilityTimeout: pauseSeconds,
  }));
  await sqs.send(new ChangeMessageVisibilityBatchCommand({ QueueUrl, Entries }));
}

/** The work of this example: one line in a book for each movement of money. */
function book({ event, isReplay }) {
  const type = event.type === "unknown" ? event.unknownType : event.type;
  const told = `${type} of ${event.subject ?? "an unknown order"}${isReplay ? ", replayed" : ""}`;
  const entry = entryOf(event);
  if (entry === undefined) return `nothing to book: ${told}`;
  if (booked.has(event.id)) return `booked already: ${told}`;
  append(entry);
  booked.add(event.id);
  return `booked ${entry.minor ?? entry.value} ${entry.currency ?? "(currency unknown)"}: ${told}`;
}

/** Minor units are text: a JSON number would round large ones. A refund is negative. */
function entryOf({ id, type, subject, data }) {
  if (type === "payment.order.success") return { id, type, orderNo: subject, ...data.amount };
  if (type !== "payment.refund.success") return undefined;
  const { value, minor, currency } = data.amount;
  const negative = { value: `-${value}`, ...(minor && { minor: `-${minor}`, currency }) };
  return { id, type, orderNo: subject, paymentId: data.paymentId, ...negative };
}

/** The line is the work and the mark of the event at once: there is no moment with only one of them. */
function append(entry) {
  const file = openSync(BOOK, "a");
  try {
    writeFileSync(file, `${JSON.stringify(entry)}\n`);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** The ids of all events in the book. A crash can leave half a line at its end, whose event comes again. */
function readBook() {
  const text = existsSync(BOOK) ? readFileSync(BOOK, "utf8") : "";
  const whole = text.slice(0, text.lastIndexOf("\n") + 1);
  if (whole !== text) writeFileSync(BOOK, whole);
  const lines = whole.split("\n").filter((line) => line !== "");
  return new Set(lines.map((line) => JSON.parse(line).id));
}
