import { generateKeyPairSync, randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { openEnvelope, openPost } from "./check/open-envelope.ts";
import { overdueIsFound } from "./check/overdue.ts";
import { personsAsked } from "./check/persons.ts";
import { sealWith } from "./forgers.ts";
import { createTime, passTime } from "./passing-time.ts";
import type { GivenUp } from "./read-ending.ts";
import { bookOf, callOf, endingWith, eventOf, order, seenWith } from "./synthetic.ts";

const now = Date.UTC(2026, 0, 1);

const { publicKey, privateKey } = generateKeyPairSync("rsa", {
  modulusLength: 2048,
  publicKeyEncoding: { type: "spki", format: "pem" },
  privateKeyEncoding: { type: "pkcs8", format: "pem" },
});
const aesKey = randomBytes(16).toString("base64");
const ownKeys = { aesKey, servicePublicKey: publicKey };
const keys = { merchantId: order.merchantId, aesKey, servicePrivateKey: privateKey };
const sealed = sealWith(keys, order, now);

test("who has the keys can seal an envelope, and nobody else", () => {
  const opened = openEnvelope(sealed, () => [ownKeys], now);
  expect(opened?.result).toMatchObject({ referOrderNo: order.orderNo, status: "success" });
  expect(openEnvelope(sealed.replace("success", "failed"), () => [], now)).toBeUndefined();
});

test("a timestamp may become right or wrong while the clock jumps", () => {
  const tenMinutes = 600_000;
  const eightDays = 8 * 86_400_000;
  const isOpened = (age: number, jump: number, status: number) => {
    const post = { envelope: sealed, by: "service" as const, answer: "", status };
    const times = { atMilliseconds: now + age, endedMilliseconds: now + age + jump };
    return openPost({ ...post, ...times }, () => [ownKeys]) !== undefined;
  };
  expect(isOpened(-tenMinutes, 1, 200)).toBe(false);
  expect(isOpened(-tenMinutes, tenMinutes, 200)).toBe(true);
  expect(isOpened(-tenMinutes, tenMinutes, 401)).toBe(false);
  expect(isOpened(eightDays, 0, 401)).toBe(true);
  expect(isOpened(eightDays, tenMinutes, 401)).toBe(false);
  expect(isOpened(eightDays, tenMinutes, 200)).toBe(true);
});

test("time passes for the stack, the queues and the service alike", async () => {
  const moved: string[] = [];
  const time = createTime();
  await passTime(
    {
      time,
      stack: {
        jump: async (milliseconds, then) => {
          moved.push(`stack ${milliseconds}`);
          then();
          moved.push("schedules");
        },
      },
      queues: { lookAgain: () => moved.push("queues") } as never,
      simulator: {
        jumpClock: (seconds) => void moved.push(`service ${seconds}`),
        settled: async () => {},
      },
    },
    90,
  );
  expect(moved).toEqual(["stack 90000", "queues", "service 90", "schedules"]);
  expect(time.aheadMilliseconds()).toBe(90_000);
});

/**
 * What the rule finds if the end of the order was published at this time. The first checks end at 500, and the run reads
 * the order from 1,000 on.
 */
function overdue(
  publishedMilliseconds: number | undefined,
  { status = "success", endsLate = false, givenUpMilliseconds = Number.POSITIVE_INFINITY } = {},
) {
  const calls = [callOf("POST /orders", 201, { paymentId: "p1" })];
  const atMilliseconds = publishedMilliseconds ?? 0;
  const events =
    publishedMilliseconds === undefined ? [] : [eventOf("success", { atMilliseconds })];
  const given = { eventId: "fact success", subscribers: ["all"], errorName: "QueueDoesNotExist" };
  const givenUp = [{ ...given, atMilliseconds: givenUpMilliseconds }];
  const ending = endingWith({ checkedMilliseconds: 500, givenUp });
  const orders = [{ ...order, endsLate }];
  const seen = seenWith({ calls, ending, orders, ledger: [bookOf(status)] }, { events });
  return overdueIsFound(seen).flatMap(({ wrong, excuse }) => excuse ?? wrong);
}

test("the end of an order is published by the first checks, before anybody asks", () => {
  const late = "no end was published within two hours";
  const never = "the status success was never published";
  expect(overdue(499)).toEqual([]);
  expect(overdue(501)).toEqual([late]);
  expect(overdue(1_001)).toEqual([never, late]);
  expect(overdue(undefined)).toEqual([never, late]);
  expect(overdue(undefined, { status: "pending" })).toEqual([]);
  expect(overdue(501, { endsLate: true })).toEqual(["its first check may come later"]);
  expect(overdue(1_001, { endsLate: true })).toEqual([never]);
});

test("an event that its queue rejected until the stack gave it up was published", () => {
  expect(overdue(2_000, { givenUpMilliseconds: 499 })).toEqual([]);
  expect(overdue(2_000, { givenUpMilliseconds: 1_001 })).toHaveLength(2);
});

const halfYear = 200 * 86_400_000;

const since = "1970-01-02T00:00:00.000Z";
const sinceMilliseconds = Date.parse(since);
const item = { id: "1", kind: "mismatch", receivedAt: since, since };

/** What the rule finds if the stack counts so many items after half a year, and so many are listed. */
function counted(needed: number, items: number, beforeMilliseconds = 0) {
  const asksFromMilliseconds = sinceMilliseconds + halfYear;
  const atMilliseconds = asksFromMilliseconds - beforeMilliseconds;
  const counts = [{ atMilliseconds, needed, paging: 0 }];
  const listed = Array(items).fill(item);
  const ending = endingWith({ counts, listed, asksFromMilliseconds });
  const [found] = personsAsked(seenWith({ ending })).flatMap(({ wrong }) => wrong);
  return found;
}

test("the stack's own count is the number of what is listed", () => {
  expect(counted(1, 1)).toBeUndefined();
  expect(counted(0, 1)).toBe("the stack counts 0 attention items, and lists 1");
  expect(counted(2, 1)).toBe("the stack counts 2 attention items, and lists 1");
});

test("of very many items the stack may count fewer", () => {
  expect(counted(499, 500)).toBe("the stack counts 499 attention items, and lists 500");
  expect(counted(500, 501)).toBeUndefined();
  expect(counted(502, 501)).toBe("the stack counts 502 attention items, and lists 501");
});

test("a stack that has stopped counting is wrong", () => {
  const ending = endingWith({ counts: [] });
  const message = "the stack does not count attention items";
  expect(personsAsked(seenWith({ ending })).flatMap(({ wrong }) => wrong)).toEqual([message]);
  expect(counted(1, 1, 600_000)).toBeUndefined();
  expect(counted(1, 1, 600_001)).toBe(message);
});

/** What the rule finds if the stack pages for this many items, a minute after one and after half a year. */
function paged(
  afterOneMinute: number,
  afterHalfYear: number,
  kind = "quarantined",
  givenUp: readonly GivenUp[] = [],
) {
  const minute = sinceMilliseconds + 60_000;
  const counts = [
    { atMilliseconds: minute, needed: 1, paging: afterOneMinute },
    { atMilliseconds: minute + halfYear, needed: 1, paging: afterHalfYear },
  ];
  const ending = endingWith({ counts, listed: [{ ...item, kind }], givenUp });
  const found = personsAsked(seenWith({ ending })).flatMap(({ wrong }) => wrong);
  return found.filter((message) => message.includes("paged"));
}

test("a new item pages the operator, and an old one does not", () => {
  expect(paged(1, 0)).toEqual([]);
  expect(paged(0, 0)).toEqual([
    "at 1970-01-02T00:01:00.000Z nobody is paged for a new attention item",
  ]);
  expect(paged(1, 1)).toEqual(["at 1970-07-21T00:01:00.000Z somebody is paged for nothing"]);
});

test("an event that was given up pages the operator, even if it is delivered soon", () => {
  const atMilliseconds = sinceMilliseconds + halfYear;
  const givenUp = { atMilliseconds, eventId: "e1", subscribers: ["all"], errorName: "Throttled" };
  expect(paged(1, 1, "quarantined", [givenUp])).toEqual([]);
});

test("a notice pages nobody", () => {
  expect(paged(0, 0, "mismatch")).toEqual([]);
  expect(paged(1, 0, "mismatch")).toEqual([
    "at 1970-01-02T00:01:00.000Z somebody is paged for nothing",
  ]);
});

test("an item is in every count from its beginning", () => {
  const counts = [20_000, 60_000, 120_000].map((milliseconds) => {
    return { atMilliseconds: sinceMilliseconds + milliseconds, needed: 0, paging: 0 };
  });
  const ending = endingWith({ counts, listed: [item] });
  const found = personsAsked(seenWith({ ending })).flatMap(({ wrong }) => wrong);
  expect(found).toContain("at 1970-01-02T00:01:00.000Z the stack counts 0 items, and lists 1");
  // A count may have begun before it.
  expect(found.filter((message) => message.includes("the stack counts 0 items"))).toHaveLength(2);
});
