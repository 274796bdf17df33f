import { describe, expect, test } from "vitest";
import { createFailingSubscribers } from "../../../shared/delivery/failing-subscribers.ts";
import type { FailureKind } from "../../../shared/delivery/failure.ts";

function watch() {
  let now = 0;
  const memory = createFailingSubscribers(() => now);
  const isHopeless = () => memory.isHopeless("stock");
  return {
    ...memory,
    isHopeless,
    waitUntil: (seconds: number) => {
      now = seconds * 1000;
    },
    failAt: (seconds: number, kind: FailureKind = "refused") => {
      now = seconds * 1000;
      memory.note({ delivered: [], failures: [{ subscriber: "stock", errorName: "No", kind }] });
    },
    acceptAt: (seconds: number) => {
      now = seconds * 1000;
      memory.note({ delivered: ["stock"], failures: [] });
    },
  };
}

/** A refusal every 20 seconds. */
function refuseFor(seconds: number, kind?: FailureKind) {
  const watched = watch();
  for (let second = 0; second <= seconds; second += 20) watched.failAt(second, kind);
  return watched;
}

describe("a queue gives each event one attempt", () => {
  test.each(["refused", "gone"] as const)("after five minutes in which it was %s", (kind) => {
    const { failAt, isHopeless } = refuseFor(280, kind);
    failAt(299.999, kind);
    expect(isHopeless()).toBe(false);
    failAt(300, kind);
    expect(isHopeless()).toBe(true);
  });

  test("until it accepts one", () => {
    const { acceptAt, failAt, isHopeless } = refuseFor(300);
    acceptAt(310);
    expect(isHopeless()).toBe(false);
    failAt(320);
    expect(isHopeless()).toBe(false);
  });

  test("until there was no attempt for 30 seconds: the next refusal starts anew", () => {
    const { waitUntil, failAt, isHopeless } = refuseFor(300);
    waitUntil(330);
    expect(isHopeless()).toBe(true);
    waitUntil(330.001);
    expect(isHopeless()).toBe(false);
    failAt(331);
    expect(isHopeless()).toBe(false);
  });

  test("and no other subscriber's queue", () => {
    const watched = watch();
    watched.failAt(0);
    const { isHopeless } = createFailingSubscribers(() => 0);
    expect(isHopeless("books")).toBe(false);
  });
});

describe("five minutes are not over", () => {
  test.each(["no-response", "failed", "untried"] as const)("by failures that are %s", (kind) => {
    expect(refuseFor(600, kind).isHopeless()).toBe(false);
    const { failAt, isHopeless } = refuseFor(280);
    failAt(300, kind);
    expect(isHopeless()).toBe(false);
  });

  test("by 280 seconds of refusals, 100 seconds of silence and one failure of any kind", () => {
    for (const kind of ["refused", "gone", "no-response", "failed"] as const) {
      const { failAt, isHopeless } = refuseFor(280);
      failAt(380, kind);
      expect(isHopeless()).toBe(false);
    }
  });
});

test("an attempt without a response between two refusals keeps the memory", () => {
  const { failAt, isHopeless } = refuseFor(280);
  failAt(300, "no-response");
  failAt(320);
  expect(isHopeless()).toBe(true);
});

describe("a queue hangs", () => {
  test("for 30 seconds after an attempt without a response, then it gets its whole time again", () => {
    const { failAt, waitUntil, isHanging } = watch();
    expect(isHanging("stock")).toBe(false);
    for (const second of [0, 1, 10, 20, 29]) failAt(second, "no-response");
    failAt(29, "untried");
    expect([isHanging("stock"), isHanging("books")]).toEqual([true, false]);
    waitUntil(30);
    expect(isHanging("stock")).toBe(false);
    failAt(31, "no-response");
    waitUntil(60);
    expect(isHanging("stock")).toBe(true);
  });

  test.each(["refused", "failed"] as const)("until it responds, even if it %s", (kind) => {
    const { failAt, acceptAt, isHanging } = watch();
    for (const respond of [() => failAt(1, kind), () => acceptAt(1)]) {
      failAt(0, "no-response");
      respond();
      expect(isHanging("stock")).toBe(false);
    }
  });
});
