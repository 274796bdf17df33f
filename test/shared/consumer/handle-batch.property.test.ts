import fc from "fast-check";
import { expect, test } from "vitest";
import { defaultMaxReceiveCount, handleBatch } from "../../../shared/consumer/handle-batch.ts";

interface Message {
  readonly messageId: string;
  readonly group: string;
  readonly isPoison: boolean;
  receives: number;
}

/** The rules of a FIFO queue that matter here: order, several messages of a group at once, counts and dead letters. */
class FifoQueue {
  readonly deadLetters: Message[] = [];
  readonly #waiting: Message[] = [];

  add(messages: readonly Message[]): void {
    this.#waiting.push(...messages);
  }

  receive(size: number): Message[] {
    const isDead = ({ receives }: Message) => receives >= defaultMaxReceiveCount;
    this.deadLetters.push(...this.#waiting.filter(isDead));
    this.#waiting.splice(0, Infinity, ...this.#waiting.filter((message) => !isDead(message)));
    const received = this.#waiting.slice(0, size);
    for (const message of received) message.receives += 1;
    return received;
  }

  delete(handled: readonly Message[]): void {
    this.#waiting.splice(
      0,
      Infinity,
      ...this.#waiting.filter((message) => !handled.includes(message)),
    );
  }

  isEmpty(): boolean {
    return this.#waiting.length === 0;
  }

  /** Those that came before a message of the same group, and are still there. */
  before(message: Message): Message[] {
    const earlier = this.#waiting.slice(0, this.#waiting.indexOf(message));
    return earlier.filter(({ group }) => group === message.group);
  }
}

const arrival = fc.record({ group: fc.constantFrom("A", "B"), isPoison: fc.boolean() });
/** What arrives before each receive, and how many messages that receive takes. */
const steps = fc.array(
  fc.record({
    arrivals: fc.array(arrival, { maxLength: 6 }),
    size: fc.integer({ min: 1, max: 10 }),
  }),
  { minLength: 1, maxLength: 30 },
);

test("whatever fails, each message is tried, and only those that fail become dead letters", async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (taken) => {
      const queue = new FifoQueue();
      const all: Message[] = [];
      const tried = new Set<Message>();
      const receiveBatch = async (size: number) => {
        const received = queue.receive(size);
        const handled: Message[] = [];
        const handle = async ({ message }: { message: Message }) => {
          tried.add(message);
          if (message.isPoison) throw new Error("It always fails.");
          // Nothing overtakes a message that has more than three receives left.
          const unhandled = queue
            .before(message)
            .filter((candidate) => !handled.includes(candidate));
          for (const { receives } of unhandled) expect(receives).toBeGreaterThan(7);
          handled.push(message);
        };
        const Records = received.map((message) => ({
          messageId: message.messageId,
          message,
          attributes: {
            ApproximateReceiveCount: String(message.receives),
            MessageGroupId: message.group,
          },
        }));
        const { batchItemFailures } = await handleBatch({ Records }, handle, {
          onFailure: () => {},
        });
        const failed = batchItemFailures.map(({ itemIdentifier }) => itemIdentifier);
        const done = received.filter(({ messageId }) => !failed.includes(messageId));
        expect(done).toEqual(handled);
        queue.delete(done);
      };
      for (const { arrivals, size } of taken) {
        const added = arrivals.map((candidate, index) => {
          return { ...candidate, messageId: String(all.length + index), receives: 0 };
        });
        all.push(...added);
        queue.add(added);
        await receiveBatch(size);
      }
      while (!queue.isEmpty()) await receiveBatch(10);
      const poison = all.filter(({ isPoison }) => isPoison).map(({ messageId }) => messageId);
      expect(queue.deadLetters.map(({ messageId }) => messageId).sort()).toEqual(poison.sort());
      expect(tried.size).toBe(all.length);
    }),
  );
});
