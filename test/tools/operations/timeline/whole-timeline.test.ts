import { expect, test } from "vitest";
import type { Target } from "../../../../tools/operations/ports/target.ts";
import type { OrderTimeline } from "../../../../tools/operations/timeline/order-timeline.ts";
import { addAttempts } from "../../../../tools/operations/timeline/whole-timeline.ts";

test("entries of one millisecond keep their order, and a later one comes after them", async () => {
  const at = "2026-11-15T10:00:00.000Z";
  const states = ["refused", "sending", "created"] as const;
  const attempts = states.map((state) => ({ kind: "attempt" as const, at, state }));
  const later = { ...attempts[0]!, at: "2026-11-15T10:00:00.001Z" };
  const target = {
    stack: { local: { unavailable: "" } },
    clock: { now: () => Date.parse(at) },
    log: { searchReceived: async () => ({ lines: [], isPartial: false }) },
  } as unknown as Target;
  const entries = [later, ...attempts] as OrderTimeline["entries"];
  const timeline = { merchantId: "shop-1", orderNo: "ORDER-1", entries };
  const whole = await addAttempts(target, timeline);
  expect(whole.entries).toEqual([...attempts, later]);
});
