import { describe, expect, test } from "vitest";
import type { Capture } from "../../../tools/cli/detect/capture.ts";
import { groupRows } from "../../../tools/cli/detect/detect-captured.ts";
import type { Detected, Row } from "../../../tools/cli/detect/result-rows.ts";
import { groupCaptured, tryGroup } from "../../../tools/cli/detect/try-captured.ts";
import { merchantId, sealed } from "./seal-capture.ts";

const noon = Date.UTC(2026, 10, 15, 12);
const envelope = sealed();

function captured(sender: string, secondsAgo: number, body = JSON.stringify(envelope)) {
  const receivedAtMilliseconds = noon - 1_000 * secondsAgo;
  const reason = "wrong-signature";
  return { version: 1 as const, merchantId, reason, receivedAtMilliseconds, body, sender };
}

const fromService = JSON.stringify({ ...envelope, id: "from the service" });
const fits: Row = { code: "fits", result: "a profile fits", action: "Store it.", profile: {} };
const forged: Row = { code: "wrong-rsa-key", result: "the RSA key did not", action: "Compare." };

/** Stands for the search: only the callback of the service fits. */
function detect(capture: Capture): Detected {
  const found = capture.envelope.id === "from the service";
  return { found, combinations: 1, rows: [found ? fits : forged] };
}

function tryAll(envelopes: readonly ReturnType<typeof captured>[], search = detect) {
  const [group] = groupCaptured(envelopes);
  return tryGroup(group!, search, new AbortController().signal);
}

describe("of the captured callbacks of one merchant and reason", () => {
  test("the real one is tried in its turn, however many newer forgeries came from one address", () => {
    const forgeries = Array.from({ length: 100 }, (_item, index) => captured("forger", index));
    const group = tryAll([...forgeries, captured("service", 200, fromService)]);
    expect(group.tried.map(({ found }) => found)).toEqual([false, true]);
    expect(group.count).toBe(101);
  });

  test("no more than the newest five of one sender are tried", () => {
    const forgeries = Array.from({ length: 8 }, (_item, index) => captured("forger", index));
    expect(tryAll(forgeries).tried).toHaveLength(5);
  });

  test("a fault of the search itself is not taken for an envelope that cannot be read", () => {
    const broken = () => {
      throw new TypeError("a fault");
    };
    expect(() => tryAll([captured("service", 0)], broken)).toThrow(TypeError);
  });

  test("the rows of one that fits take the place of the others' reasons", () => {
    const group = tryAll([captured("forger", 0), captured("service", 60, fromService)]);
    expect(groupRows(group)).toEqual([
      {
        ...fits,
        merchantId,
        rejectedFor: "wrong-signature",
        newestAt: "2026-11-15T11:59:00.000Z",
        callbacks: 1,
        captured: 2,
      },
    ]);
  });

  test("each reason why none fits has one row, with how many it is about and the newest", () => {
    const fromA = [captured("a", 0, "no JSON"), captured("a", 1)];
    const group = tryAll([...fromA, captured("b", 2), captured("b", 3)]);
    expect(groupRows(group)).toMatchObject([
      { code: "not-an-envelope", callbacks: 1, captured: 4, newestAt: "2026-11-15T12:00:00.000Z" },
      { code: "wrong-rsa-key", callbacks: 3, captured: 4, newestAt: "2026-11-15T11:59:59.000Z" },
    ]);
  });
});
