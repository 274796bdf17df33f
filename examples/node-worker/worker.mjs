import {
  closeSync,
  existsSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import {
  ChangeMessageVisibilityBatchCommand,
  DeleteMessageCommand,
  ReceiveMessageCommand,
  SQSClient,
} from "@aws-sdk/client-sqs";
import {
  defaultMaxReceiveCount,
  handleBatch,
  PaycastEventError,
  parseRecord,
} from "paycast-events";

const { QUEUE_URL: QueueUrl, BOOK = "book.jsonl" } = process.env;
const maxReceiveCount = Number(process.env.MAX_RECEIVE_COUNT ?? defaultMaxReceiveCount);
if (!QueueUrl) throw new Error("QUEUE_URL must name the queue of your subscriber.");

const sqs = new SQSClient({});
const stopping = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => stopping.abort());
const booked = readBook();
console.log(`Reading ${QueueUrl} into ${BOOK}. Ctrl-C ends it.`);
await work();
console.log("Stopped. Every received message was handled or returned.");

/** Stops only between batches, at most five seconds and one batch after the signal. */
async function work() {
  let failures = 0;
  while (!stopping.signal.aborted) {
    try {
      await handleMessages(await receive());
      failures = 0;
    } catch (error) {
      // SQS is unreachable. Messages that were not deleted become visible again.
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
      QueueUrl,
      MaxNumberOfMessages: 10,
      WaitTimeSeconds: 5,
      MessageAttributeNames: ["All"],
      MessageSystemAttributeNames: ["MessageGroupId", "ApproximateReceiveCount"],
    }),
  );
  return Messages;
}

/**
 * Handles the messages in order. After a failure the rest of the group returns to the queue, so that the events of one
 * order stay in order. On the last three receives `handleBatch` tries the rest, so that no message reaches the
 * dead-letter queue untried.
 */
async function handleMessages(messages) {
  const pauses = new Map();
  const onFailure = ({ message }, error) => {
    console.error(`Message ${message.MessageId} failed: ${error.message}`);
    const pause = Math.max(pauseAfter(error, message), pauses.get(groupOf(message)) ?? 0);
    pauses.set(groupOf(message), pause);
  };
  const Records = messages.map((message) => {
    return { messageId: message.MessageId, attributes: message.Attributes, message };
  });
  const options = { maxReceiveCount, onFailure };
  const { batchItemFailures } = await handleBatch({ Records }, handleMessage, options);
  const failed = new Set(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
  const returned = messages.filter(({ MessageId }) => failed.has(MessageId));
  if (returned.length > 0) await returnToQueue(returned, pauses);
}

/** Deletes the message only after the work. */
async function handleMessage({ message }) {
  console.log(book(parseRecord(message)));
  await sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle: message.ReceiptHandle }));
}

/**
 * Seconds until the next try: 5, 10, 20 … up to 15 minutes, so that ten receives last half an hour. A retry cannot fix
 * an unreadable event, so its order waits less: 1, 2, 3 … seconds. It reaches the dead-letter queue within a minute.
 */
function pauseAfter(error, { Attributes }) {
  const receives = Number(Attributes.ApproximateReceiveCount);
  return error instanceof PaycastEventError ? receives : Math.min(5 * 2 ** (receives - 1), 900);
}

/** All messages of a group get its longest pause: SQS delivers none of them before the last one is visible. */
async function returnToQueue(messages, pauses) {
  const Entries = messages.map((message, index) => ({
    Id: String(index),
    ReceiptHandle: message.ReceiptHandle,
    VisibilityTimeout: pauses.get(groupOf(message)),
  }));
  await sqs.send(new ChangeMessageVisibilityBatchCommand({ QueueUrl, Entries }));
}

/** A standard queue has no groups: each message is its own. */
function groupOf({ Attributes, MessageId }) {
  return Attributes.MessageGroupId ?? MessageId;
}

/** The work of this example: one line in a book for each movement of money. */
function book({ event, isReplay }) {
  const type = event.type === "unknown" ? event.unknownType : event.type;
  const description = `${type} of ${event.subject ?? "an unknown order"}${isReplay ? ", replayed" : ""}`;
  const entry = entryOf(event);
  if (entry === undefined) return `nothing to book: ${description}`;
  if (booked.has(event.id)) return `booked already: ${description}`;
  append(entry);
  booked.add(event.id);
  return `booked ${entry.minor ?? entry.value} ${entry.currency ?? "(currency unknown)"}: ${description}`;
}

/** Minor units are text: a JSON number would round large ones. A refund is negative. */
function entryOf({ id, type, subject, data }) {
  if (type === "payment.order.success") return { id, type, orderNo: subject, ...data.amount };
  if (type !== "payment.refund.success") return undefined;
  const { value, minor, currency } = data.amount;
  const negative = { value: `-${value}`, ...(minor && { minor: `-${minor}`, currency }) };
  return { id, type, orderNo: subject, paymentId: data.paymentId, ...negative };
}

/**
 * The line is both the work and the mark of the event, so one cannot exist without the other. If it cannot be written,
 * nothing of it stays: the event arrives again.
 */
function append(entry) {
  const file = openSync(BOOK, "a");
  const { size } = fstatSync(file);
  try {
    writeFileSync(file, `${JSON.stringify(entry)}\n`);
    fsyncSync(file);
  } catch (error) {
    ftruncateSync(file, size);
    throw error;
  } finally {
    closeSync(file);
  }
}

/** The ids of all events in the book. Drops an incomplete last line after a crash: its event arrives again. */
function readBook() {
  const text = existsSync(BOOK) ? readFileSync(BOOK, "utf8") : "";
  const whole = text.slice(0, text.lastIndexOf("\n") + 1);
  if (whole !== text) truncateSync(BOOK, Buffer.byteLength(whole));
  const lines = whole.split("\n").filter((line) => line !== "");
  return new Set(lines.map((line) => JSON.parse(line).id));
}
