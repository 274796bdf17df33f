import { expect, test } from "vitest";
import { makeSearchKeys } from "../../cli/detect/keys.ts";
import { groupCaptured, tryGroup } from "../../cli/detect/try-captured.ts";
import { aesKey, merchantId, sealed, service, stranger } from "./seal-capture.ts";

const noon = Date.UTC(2026, 10, 15, 12);
const keys = makeSearchKeys(aesKey, service.publicKey);

function captured(sender: string, envelope: unknown, receivedAtMilliseconds: number) {
  const reason = "wrong-signature";
  const body = JSON.stringify(envelope);
  return { version: 1 as const, merchantId, reason, receivedAtMilliseconds, body, sender };
}

test("however many newer forgeries came from one address, the real callback is tried in its turn", () => {
  const real = captured("service", sealed({ profile: { signatureHash: "SHA-1" } }), noon);
  const forgeries = Array.from({ length: 100 }, (_, index) =>
    captured("forger", sealed({ privateKey: stranger.privateKey }), noon + 200_000 - index),
  );
  const [group] = groupCaptured([...forgeries, real]);
  const { tried, report, count } = tryGroup(group!, keys, new AbortController().signal);
  expect({ tried, count, found: report?.found }).toEqual({ tried: 2, count: 101, found: true });
});

test("of one sender no more than the newest five are tried", () => {
  const forged = sealed({ privateKey: stranger.privateKey });
  const [group] = groupCaptured(Array.from({ length: 8 }, () => captured("forger", forged, noon)));
  expect(tryGroup(group!, keys, new AbortController().signal).tried).toBe(5);
});
