import type { GetMetricDataCommandInput } from "@aws-sdk/client-cloudwatch";
import { describe, expect, test } from "vitest";
import { lostBefore, lostEvents } from "../../../../tools/operations/check/lost-events.ts";
import { readOldestTimes } from "../../../../tools/operations/overview/read-queues.ts";
import type { Target, TargetSubscriber } from "../../../../tools/operations/target/target.ts";

const url = "https://sqs.eu-central-1.amazonaws.com/123456789012/Paycast-Stock.fifo";
const stock = { name: "stock", queueUrl: url } as TargetSubscriber;
const minute = 60_000;
const day = 24 * 60 * minute;
/** A time of 2026-11-15, or a whole date and time. */
const at = (time: string) => new Date(time.includes("T") ? time : `2026-11-15T${time}Z`);

type Values = Readonly<Record<string, readonly (readonly [time: string, value: number])[]>>;

/** A deployed stack whose CloudWatch has these values of the queue, by the name of the metric. */
function targetWith(
  values: Values,
  now = "09:00:00",
  asked: GetMetricDataCommandInput[] = [],
  auditLines: readonly string[] = [],
  nextToken?: string,
) {
  const send = async ({ input }: { input: GetMetricDataCommandInput }) => {
    asked.push(input);
    // CloudWatch has values by the minute for 15 days, and none for a question that begins earlier.
    expect(at(now).getTime() - Number(input.StartTime)).toBeLessThan(15 * day);
    const MetricDataResults = input.MetricDataQueries!.map(({ Id, MetricStat }) => {
      const { MetricName = "", Dimensions } = MetricStat!.Metric!;
      expect(Dimensions).toEqual([{ Name: "QueueName", Value: "Paycast-Stock.fifo" }]);
      const isWanted = ([time]: readonly [string, number]) =>
        at(time) >= input.StartTime! && at(time) < input.EndTime!;
      const found = (values[MetricName] ?? []).filter(isWanted);
      const ordered = input.ScanBy === "TimestampDescending" ? [...found].reverse() : found;
      return {
        Id,
        Timestamps: ordered.map(([time]) => at(time)),
        Values: ordered.map(([, value]) => value),
      };
    });
    return { MetricDataResults };
  };
  return {
    kind: "deployed",
    name: "Paycast",
    now: () => at(now).getTime(),
    auditLog: "audit",
    clients: {
      cloudWatch: { send },
      cloudWatchLogs: {
        send: async () => ({ events: auditLines.map((message) => ({ message })), nextToken }),
      },
    },
  } as unknown as Target;
}

/** 70 and 7 messages at the end, and the queue was empty before at 07:20. */
const filled: Values = {
  ApproximateNumberOfMessagesVisible: [
    ["07:20:00", 0],
    ["08:00:00", 12],
    ["08:15:00", 70],
  ],
  ApproximateNumberOfMessagesNotVisible: [
    ["08:00:00", 0],
    ["08:15:00", 7],
  ],
  ApproximateAgeOfOldestMessage: [["08:15:00", 1800]],
};
const lossMessage = "About 77 events were in it at 2026-11-15T08:15:00Z and were deleted with it.";
const whenThere = "When the queue exists again, replay them: npx paycast replay --to stock";

test("what was in a deleted queue comes from the last values, and the replay begins when it was empty", async () => {
  const asked: GetMetricDataCommandInput[] = [];
  expect(await lostEvents(targetWith(filled, "09:00:00", asked), stock)).toEqual([
    {
      status: "problem",
      message: lossMessage,
      action: `${whenThere} --since '2026-11-15T07:05:00Z' --yes --stack Paycast`,
    },
  ]);
  expect(asked).toHaveLength(1);
  const minutes = (Number(asked[0]!.EndTime) - Number(asked[0]!.StartTime)) / minute;
  expect(3 * minutes).toBeLessThanOrEqual(100_800);
});

test.each<[why: string, values: Values, since: string]>([
  [
    "it was never empty, so messages that were received often may be as old as SQS keeps them",
    { ...filled, ApproximateNumberOfMessagesVisible: [["08:15:00", 70]] },
    "2026-11-01T08:00:00Z",
  ],
  ["no age is known", { ...filled, ApproximateAgeOfOldestMessage: [] }, "2026-11-15T07:05:00Z"],
  [
    "somebody read what was in it",
    { ...filled, ApproximateNumberOfMessagesNotVisible: [["07:20:00", 3]] },
    "2026-11-01T08:00:00Z",
  ],
  [
    "the oldest is older than the count says",
    { ...filled, ApproximateAgeOfOldestMessage: [["08:15:00", 3 * 3600]] },
    "2026-11-15T05:00:00Z",
  ],
])("the replay begins early enough if %s", async (_why, values, since) => {
  const [lost] = await lostEvents(targetWith(values), stock);
  expect(lost?.action).toBe(`${whenThere} --since '${since}' --yes --stack Paycast`);
});

const act = (time: string, details: object) =>
  JSON.stringify({ at: at(time).toISOString(), who: "arn", ...details });
const redrive = (time: string, queue: string) =>
  act(time, { act: "dead-letters-redrive", queue, count: 2 });

test.each<[what: string, lines: readonly string[], which: string]>([
  ["dead letters of its own", [redrive("08:10:00", "stock")], "--all"],
  ["what needed a person", [act("08:10:00", { act: "attention-redrive", count: 1 })], "--all"],
  ["an earlier replay", [act("08:10:00", { act: "replay", subscriber: "stock" })], "--all"],
  ["dead letters of others", [redrive("08:10:00", "ledger")], "--since '2026-11-15T07:05:00Z'"],
  [
    "what came before it was empty",
    [redrive("07:00:00", "stock")],
    "--since '2026-11-15T07:05:00Z'",
  ],
  ["what came after it was gone", [redrive("08:20:00", "stock")], "--since '2026-11-15T07:05:00Z'"],
])("the replay sends what may be older, if the queue got %s", async (_what, lines, which) => {
  const [lost] = await lostEvents(targetWith(filled, "09:00:00", [], lines), stock);
  expect(lost?.action).toBe(`${whenThere} ${which} --yes --stack Paycast`);
});

test("the replay sends what may be older, if the audit log goes on behind what was read", async () => {
  const lines = [redrive("08:20:00", "stock")];
  const [lost] = await lostEvents(targetWith(filled, "09:00:00", [], lines, "more"), stock);
  expect(lost?.message).toMatch(
    / The audit log could not be read completely, and older events may /,
  );
  expect(lost?.action).toBe(`${whenThere} --all --yes --stack Paycast`);
});

test("a redrive of what needed a person may have been for anybody", async () => {
  const lines = [act("08:10:00", { act: "attention-redrive", count: 1 })];
  const [lost] = await lostEvents(targetWith(filled, "09:00:00", [], lines), stock);
  expect(lost?.message).toBe(
    `${lossMessage} Older events may have been sent to it again at 2026-11-15T08:10:00Z. The command sends everything that is recorded.`,
  );
});

test("of a queue that was empty nothing is lost, and of an unknown one the time is asked for", async () => {
  const empty = { ApproximateNumberOfMessagesVisible: [["08:15:00", 0]] } as const;
  expect(await lostEvents(targetWith(empty), stock)).toEqual([]);
  const [unknown] = await lostEvents(targetWith({}), stock);
  expect(unknown?.action).toContain("replay --to stock --since TIME --yes --stack Paycast");
});

describe("a queue that was created again", () => {
  const createdAt = at("08:30:00").getTime();
  const named = {
    status: "problem",
    message: `The queue was recreated at 2026-11-15T08:30:00Z. ${lossMessage}`,
    action:
      "Send them: npx paycast replay --to stock --since '2026-11-15T07:05:00Z' --yes --stack Paycast",
  };
  const started = (details: object) =>
    act("08:40:00", {
      act: "replay",
      run: "1",
      subscriber: "stock",
      types: [],
      ids: [],
      ...details,
    });
  const ended = (run: string) =>
    act("08:41:00", { act: "replay-ended", run, subscriber: "stock", sent: 77 });
  const replayed = (details: object) => [started(details), ended("1")];

  test.each<[what: string, isNamed: boolean, lines: readonly string[]]>([
    ["nothing", true, []],
    ["a replay since then", false, replayed({ since: "2026-11-15T07:05:00Z" })],
    ["a replay of everything", false, replayed({})],
    ["a replay that did not come to its end", true, [started({})]],
    ["a replay before another that came to its end", true, [started({}), ended("2")]],
    ["a replay since a later time", true, replayed({ since: "2026-11-15T07:05:01Z" })],
    ["a replay until an earlier time", true, replayed({ until: "2026-11-15T08:14:59Z" })],
    ["a replay of an order", true, replayed({ orderNo: "A" })],
    ["a replay of a type", true, replayed({ types: ["payment.order.success"] })],
    ["a replay to somebody else", true, replayed({ subscriber: "ledger" })],
    ["a redrive", true, [redrive("08:40:00", "stock")]],
  ])("lacks the events until they are replayed: %s", async (_what, isNamed, lines) => {
    const target = targetWith(filled, "09:00:00", [], lines);
    expect(await lostBefore(target, stock, createdAt)).toEqual(isNamed ? [named] : []);
  });

  test("lacks nothing after a replay of everything, if not all of the audit log could be read", async () => {
    const verdictsAfter = (details: object) =>
      lostBefore(targetWith(filled, "09:00:00", [], replayed(details), "more"), stock, createdAt);
    expect(await verdictsAfter({})).toEqual([]);
    const [lost] = await verdictsAfter({ since: "2026-11-15T07:05:00Z" });
    expect(lost?.action).toBe(
      "Send them: npx paycast replay --to stock --all --yes --stack Paycast",
    );
  });

  test("lost nothing if it is the first of its name, or the earlier one was empty", async () => {
    const created = at("07:20:30").getTime();
    expect(await lostBefore(targetWith(filled), stock, created)).toEqual([]);
    expect(await lostBefore(targetWith({}), stock, createdAt)).toEqual([]);
    const empty = { ApproximateNumberOfMessagesVisible: [["08:15:00", 0]] } as const;
    expect(await lostBefore(targetWith(empty), stock, createdAt)).toEqual([]);
  });

  const point = (time: string, value: number) => [time, value] as const;
  const ofNewQueue: Values = {
    ApproximateNumberOfMessagesVisible: [
      ...(filled["ApproximateNumberOfMessagesVisible"] ?? []),
      point("08:30:00", 0),
      point("08:31:00", 0),
    ],
    ApproximateNumberOfMessagesNotVisible: [
      ...(filled["ApproximateNumberOfMessagesNotVisible"] ?? []),
      point("08:30:00", 0),
    ],
    ApproximateAgeOfOldestMessage: [
      ...(filled["ApproximateAgeOfOldestMessage"] ?? []),
      point("08:30:00", 0),
    ],
  };

  test.each(["08:30:00", "08:30:20", "08:30:59"])(
    "created at %s, it has the values of that minute itself",
    async (created) => {
      const [lost] = await lostBefore(targetWith(ofNewQueue), stock, at(created).getTime());
      expect(lost).toMatchObject({ action: named.action });
      expect(lost?.message).toContain(lossMessage);
    },
  );

  test.each<[since: string, now: string, isNamed: boolean]>([
    ["2026-11-05T06:45:00Z", "2026-11-16T09:00:00Z", false],
    ["2026-11-05T06:45:01Z", "2026-11-16T09:00:00Z", true],
    ["2026-11-05T06:45:00Z", "2026-11-28T09:00:00Z", false],
    ["2026-11-14T07:00:00Z", "2026-11-28T09:00:00Z", true],
  ])("was empty ten days before: a replay since %s, checked at %s", async (since, now, isNamed) => {
    const series: Values = {
      ApproximateNumberOfMessagesVisible: [
        point("2026-11-05T07:00:00Z", 0),
        point("2026-11-14T07:00:00Z", 5),
        point("08:15:00", 77),
      ],
    };
    const target = targetWith(series, now, [], replayed({ since }));
    const found = await lostBefore(target, stock, createdAt);
    expect(found.map(({ status }) => status)).toEqual(isNamed ? ["problem"] : []);
  });

  test("stays without a loss after its replay, when the empty minute is two weeks ago", async () => {
    const lines = replayed({ since: "2026-11-15T07:05:00Z" });
    const target = targetWith(filled, "2026-11-29T08:00:00Z", [], lines);
    expect(await lostBefore(target, stock, createdAt)).toEqual([]);
  });

  test("is not asked about when the events would have expired", async () => {
    const asked: GetMetricDataCommandInput[] = [];
    const target = targetWith(filled, "09:00:00", asked);
    expect(await lostBefore(target, stock, createdAt - 15 * 24 * 60 * minute)).toEqual([]);
    expect(asked).toEqual([]);
  });
});

test("the oldest event waits since the same time from look to look", async () => {
  const looks = [
    ["08:31:00", 620, "08:32:10"],
    ["08:36:00", 925, "08:37:50"],
  ] as const;
  for (const [time, age, now] of looks) {
    const target = targetWith({ ApproximateAgeOfOldestMessage: [[time, age]] }, now);
    const times = await readOldestTimes(target, [url], target.now);
    expect(new Date(times.get(url)!)).toEqual(at("08:20:00"));
  }
});
