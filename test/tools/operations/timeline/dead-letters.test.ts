import { expect, test } from "vitest";
import type { Target } from "../../../../tools/operations/ports/target.ts";
import { addDeadLetters } from "../../../../tools/operations/timeline/add-dead-letters.ts";
import { openProblemsOf } from "../../../../tools/operations/timeline/open-problems.ts";
import type {
  Delivery,
  ReceiptEntry,
} from "../../../../tools/operations/timeline/receipt-entry.ts";

/** A stack whose subscribers have so many dead letters, half of them in flight. */
function targetWith(deadLetters: Readonly<Record<string, number>>): Target {
  const subscribers = Object.keys(deadLetters).map((name) => ({ name, deadLettersUrl: name }));
  const countOf = (url: string) => ({
    waiting: deadLetters[url]! / 2,
    inFlight: deadLetters[url]! / 2,
  });
  const open = (url: string) => ({ count: async () => countOf(url) });
  return { queues: { subscribers, open } } as unknown as Target;
}

function receiptWith(...deliveries: Delivery[]): ReceiptEntry {
  const published = { eventId: "E1", sequence: 1, event: {}, deliveries };
  return { kind: "receipt", published } as unknown as ReceiptEntry;
}

const sent = (subscriber: string): Delivery => ({ subscriber, state: "sent" });
const waiting: Delivery = { subscriber: "late", state: "waiting" };

test("a delivered event has the count of its subscriber's dead letters, and is an open problem", async () => {
  const target = targetWith({ books: 2, stock: 0, late: 4 });
  const receipt = receiptWith(sent("books"), sent("stock"), waiting);
  const found = await addDeadLetters(target, [receipt]);
  expect(found).toEqual([
    receiptWith({ ...sent("books"), deadLetters: 2 }, sent("stock"), waiting),
  ]);
  expect(openProblemsOf(found, String)).toEqual([
    {
      isFinal: false,
      deadLettersOf: "books",
      text: "books has 2 dead letters. Events of this order may be among them.",
    },
  ]);
});

test("without dead letters the receipts stay as they are, and nothing is open", async () => {
  const receipts = [receiptWith(sent("books"), waiting)];
  const found = await addDeadLetters(targetWith({ books: 0, late: 4 }), receipts);
  expect(found).toEqual(receipts);
  expect(openProblemsOf(found, String)).toEqual([]);
});
