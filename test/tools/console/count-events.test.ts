import { expect, test } from "vitest";
import { counted } from "../../../shared/text/number-text.ts";
import { range } from "../../../tools/console/tour/scenarios/duplicate-storm.ts";
import { orderClaim } from "../../../tools/console/tour/scenarios/subscriber-down.ts";
import { type Arrivals, eachOnce } from "../../../tools/console/tour/shared-steps.ts";

function arrivals(ordered: boolean, wanted: string[], ids: string[]): Arrivals {
  const events = ids.map((eventId, index) => ({
    eventId,
    type: "payment.order.success",
    orderNo: "A",
    origin: "callback",
    sequence: index + 1,
  }));
  return { subscriber: "team", ordered, wanted, events };
}

test.each([
  { what: "each once", ordered: true, ids: ["a", "b"], holds: true, found: "team 2 of 2" },
  {
    what: "one is missing, and a program may have read it",
    ordered: true,
    ids: ["a"],
    holds: false,
    found:
      "team 1 of 2. If another program, such as npm run shop, reads the queue of team, stop it and play the scenario again",
  },
  { what: "one is strange", ordered: true, ids: ["a", "c"], holds: false, found: "team 2 of 2" },
  { what: "one too many", ordered: true, ids: ["a", "b", "c"], holds: false, found: "team 3 of 2" },
  {
    what: "one is repeated in order",
    ordered: true,
    ids: ["a", "b", "b"],
    holds: false,
    found: "team 2 of 2 (1 repeated)",
  },
  {
    what: "one is repeated in a queue without order",
    ordered: false,
    ids: ["a", "b", "b"],
    holds: true,
    found: "team 2 of 2 (1 repeated, as SQS may in a standard queue)",
  },
])("$what: $holds", ({ ordered, ids, holds, found }) => {
  expect(eachOnce([arrivals(ordered, ["a", "b"], ids)])).toMatchObject({ holds, found });
});

test("nothing published proves nothing", () => {
  expect(eachOnce([arrivals(true, [], [])]).holds).toBe(false);
  expect(eachOnce([]).holds).toBe(false);
});

test("counts are reported as they are", () => {
  expect(range([1, 1, 1])).toBe("1");
  expect(range([2, 0])).toBe("0 to 2");
  expect(range([])).toBe("no");
  expect([counted(1, "event"), counted(0, "event"), counted("0 to 2", "event")]).toEqual([
    "1 event",
    "0 events",
    "0 to 2 events",
  ]);
});

test("the order of events is claimed only of a queue that keeps it", () => {
  const ordered = { name: "team", ordered: true };
  expect(orderClaim(ordered, [1, 2])).toMatchObject({ holds: true });
  expect(orderClaim(ordered, [2, 1])).toMatchObject({ holds: false });
  const loose = orderClaim({ name: "team", ordered: false }, [2, 1]);
  expect(loose).toMatchObject({ holds: true, found: "event 2, 1" });
  expect(loose.claim).not.toContain("in the order of their sequence");
  expect(orderClaim(ordered, []).holds).toBe(false);
});
