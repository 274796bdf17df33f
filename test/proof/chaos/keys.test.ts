import { expect, test } from "vitest";
import { authenticIsTaken } from "./check/authentic-is-taken.ts";
import type { Evidence } from "./check/evidence.ts";
import { keysStateOf } from "./check/keys-state.ts";
import { callbackOf, order, seenWith } from "./synthetic.ts";

const busy = { what: "busy", fromMilliseconds: 20_000, untilMilliseconds: 21_000 };

const rotation = {
  merchantId: order.merchantId,
  fromMilliseconds: 0,
  untilMilliseconds: 1_000,
};

/** A callback with these keys, whose response came this many seconds after the rotation. */
function arrived(seconds: number, keysIndex = 0, status = 401) {
  const { post, opened, fact } = callbackOf({ event: "order.success" }, status);
  const times = { atMilliseconds: seconds * 1_000, endedMilliseconds: seconds * 1_000 + 5 };
  return { post: { ...post, ...times }, opened: { ...opened, keysIndex }, fact };
}

/** What the rule finds in it. `refusedAt` is the second of another rejection, for the merchant `of`. */
function refused(
  statement: ReturnType<typeof arrived>,
  { busy = [], refusedAt, of = order.merchantId, disturbances = [] }: Refused = {},
) {
  const envelope = JSON.stringify({ merchantId: of });
  const forged = refusedAt === undefined ? [] : [{ ...arrived(refusedAt).post, envelope }];
  const evidence = { rotations: [rotation], disturbances, busy };
  const [look] = authenticIsTaken(seenWith(evidence, { statements: [statement], forged }));
  if (look?.excuse !== undefined) return "excused";
  return (look?.unjudged?.length ?? 0) > 0 ? "not judged" : (look?.wrong.length ?? 0) > 0;
}

interface Refused {
  readonly busy?: Evidence["busy"];
  readonly refusedAt?: number;
  readonly of?: string;
  readonly disturbances?: Evidence["disturbances"];
}

test("new keys are unknown only to who has looked for keys in the minute before", () => {
  expect(refused(arrived(5))).toBe(true);
  expect(refused(arrived(5), { refusedAt: -50 })).toBe("excused");
  expect(refused(arrived(5), { refusedAt: -50, of: "another merchant" })).toBe(true);
  expect(refused(arrived(5), { refusedAt: -58 })).toBe(true);
  expect(refused(arrived(70), { refusedAt: 0 })).toBe(true);
  expect(refused(arrived(5), { refusedAt: 1 })).toBe("excused");
  expect(refused(arrived(5), { refusedAt: 2 })).toBe(true);
});

test("a look for keys fails while Secrets Manager is away", () => {
  const service = "secretsmanager" as const;
  const away = { what: "it is away", service, fromMilliseconds: 0, untilMilliseconds: 5_000 };
  expect(refused(arrived(30), { disturbances: [away] })).toBe("excused");
  expect(refused(arrived(50), { disturbances: [away] })).toBe(true);
  expect(refused(arrived(30), { disturbances: [{ ...away, service: "sqs" }] })).toBe(true);
  expect(refused(arrived(50, 1), { disturbances: [away] })).toBe("excused");
  expect(refused(arrived(70, 1), { disturbances: [away] })).toBe(true);
});

test("on a busy machine a look for keys may come late", () => {
  expect(refused(arrived(72), { busy: [busy] })).toBe("not judged");
  expect(refused(arrived(171), { busy: [busy] })).toBe("not judged");
  expect(refused(arrived(172), { busy: [busy] })).toBe(true);
  const later = { ...busy, fromMilliseconds: 73_000, untilMilliseconds: 74_000 };
  expect(refused(arrived(72), { busy: [later] })).toBe(true);
});

test("no other refusal of what is authentic is excused", () => {
  expect(refused(arrived(5, 1), { refusedAt: 0, busy: [busy] })).toBe(true);
  expect(refused(arrived(5, 0, 400), { refusedAt: 0, busy: [busy] })).toBe(true);
  expect(refused(arrived(5, 0, 200))).toBe(false);
});

/** What the keys of a callback are that arrives at this second, if there are rotations at 0 and 100. */
function keysAt(seconds: number, keysIndex: number) {
  const second = { ...rotation, fromMilliseconds: 100_000, untilMilliseconds: 101_000 };
  const { evidence } = seenWith({ rotations: [rotation, second] });
  return keysStateOf(arrived(seconds, keysIndex), evidence);
}

test("keys from before the last two rotations are forged, when no instance can have them any more", () => {
  expect([0, 1, 2].map((index) => keysAt(150, index))).toEqual(["current", "previous", "unclear"]);
  expect(keysAt(402, 2)).toBe("outdated");
  expect(keysAt(50, 1)).toBe("current");
  expect(keysAt(50, 2)).toBe("previous");
});

test("the keys before a rotation count for eight days", () => {
  const eightDays = 8 * 24 * 3_600;
  expect(keysAt(eightDays, 1)).toBe("previous");
  expect(keysAt(eightDays + 102, 1)).toBe("unclear");
  expect(keysAt(eightDays + 402, 1)).toBe("outdated");
  expect(keysAt(eightDays + 402, 0)).toBe("current");
});
