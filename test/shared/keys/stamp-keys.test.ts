import { expect, test, vi } from "vitest";
import type { SecretVersion } from "../../../shared/keys/keys-in-secret.ts";
import type { ReadSecret } from "../../../shared/keys/read-secret.ts";
import { createCheckingKeys, createSenderKey } from "../../../shared/keys/stamp-keys.ts";
import type { LogFields, Metrics } from "../../../shared/telemetry/log-line.ts";

const start = Date.UTC(2026, 10, 15);
const day = 24 * 60 * 60_000;

const version = (versionId: string, text = versionId.repeat(32)): SecretVersion => ({
  versionId,
  text,
  createdAtMilliseconds: start,
});

function source(current?: SecretVersion, previous?: SecretVersion) {
  const stages = { AWSCURRENT: current, AWSPREVIOUS: previous };
  const clock = { now: start };
  const lines: [LogFields, Metrics | undefined][] = [];
  const readSecret = vi.fn<ReadSecret>(async (_id, stage) => stages[stage]);
  const log = (fields: LogFields, metrics?: Metrics) => void lines.push([fields, metrics]);
  const options = { secretId: "stamp", now: () => clock.now, log, readSecret };
  return { options, stages, clock, lines, readSecret };
}

test("a sender takes the current version, fetches it once, and never asks for the previous one", async () => {
  const { options, readSecret } = source(version("a"), version("b"));
  const key = createSenderKey(options);
  await key.prime();
  expect(readSecret).toHaveBeenCalledTimes(1);
  expect((await key.current()).versionId).toBe("a");
  await key.current();
  expect(readSecret.mock.calls.map(([, stage]) => stage)).toEqual(["AWSCURRENT"]);
});

test.each([
  ["keys-unset", undefined],
  ["keys-invalid", version("a", "a".repeat(31))],
])(
  "a sender without a valid current version has none: %s, counted without a merchant",
  async (code, current) => {
    const { options, lines } = source(current, version("b"));
    await expect(createSenderKey(options).current()).rejects.toMatchObject({ code });
    expect(lines).toEqual([
      [
        {
          outcome: "keys-problem",
          stage: "keys",
          reason: code,
          detail: expect.stringMatching(/^Stamp key: /),
        },
        { KeysProblem: 1 },
      ],
    ]);
    expect(JSON.stringify(lines)).not.toContain("aaaa");
  },
);

test("the previous version counts as long as the secret has it, however long ago the rotation was", async () => {
  const { options, stages, clock } = source(version("a"), version("b"));
  const keys = createCheckingKeys(options);
  const ids = async () => (await keys.versions()).map(({ versionId }) => versionId);
  expect(await ids()).toEqual(["a", "b"]);
  clock.now += 400 * day;
  expect(await ids()).toEqual(["a", "b"]);
  stages.AWSPREVIOUS = undefined;
  clock.now += day;
  expect(await ids()).toEqual(["a"]);
});

test("an invalid previous version is reported, and does not count as a problem of the current one", async () => {
  const { options, lines } = source(version("a"), version("b", "too short"));
  const versions = await createCheckingKeys(options).versions();
  expect(versions.map(({ versionId }) => versionId)).toEqual(["a"]);
  expect(lines).toMatchObject([[{ reason: "previous-keys-invalid" }, {}]]);
});

test("a refresh is made at most once a minute", async () => {
  const { options, clock, readSecret } = source(version("a"));
  const keys = createCheckingKeys(options);
  await keys.versions();
  const loads = () => readSecret.mock.calls.filter(([, stage]) => stage === "AWSCURRENT").length;
  await keys.refresh();
  await keys.refresh();
  expect(loads()).toBe(2);
  clock.now += 60_000;
  await keys.refresh();
  expect(loads()).toBe(3);
});

test("only a second load that read both versions shows which versions exist", async () => {
  const { options, clock, readSecret } = source(version("a"), version("b"));
  const keys = createCheckingKeys(options);
  await keys.versions();
  expect(keys.knownAtMilliseconds()).toBe(Number.NEGATIVE_INFINITY);
  clock.now += 1_000;
  await keys.refresh();
  expect(keys.knownAtMilliseconds()).toBe(start + 1_000);
  clock.now += 60_000;
  readSecret.mockImplementation(async (_id, stage) => {
    if (stage === "AWSPREVIOUS") throw new Error("throttled");
    return version("a");
  });
  await keys.refresh();
  expect(keys.knownAtMilliseconds()).toBe(start + 1_000);
});
