import { describe, expect, test } from "vitest";
import { set } from "../../../../tools/operations/keys/set-keys.ts";
import type { Keys } from "../../../../tools/operations/ports/keys.ts";
import { withoutAudit } from "../test-target.ts";
import { awsDenied, idOf, memoryMerchant, secretWith, textOf } from "./memory-merchant.ts";
import { stagesIn } from "./memory-secret.ts";

const work = { stopped: new AbortController().signal, tell: () => undefined };
const once = secretWith({ current: "A" });
const asked = { merchant: "M1", callbackKeys: textOf("new", "callback") };

/** Sets new callback keys, with calls that end otherwise. */
async function setWith(changed: (calls: Keys) => Partial<Keys>) {
  const { target, secrets } = memoryMerchant({ callback: once });
  const { act } = await set.plan(target, asked, work);
  const keys = { ...target.keys, ...changed(target.keys) };
  const report = await act({ ...target, keys }, work).catch((error: Error) => error);
  return { report, stages: stagesIn(secrets.callback) };
}

test.each([
  ["that were never set", secretWith({})],
  ["that are set", once],
])("two operators set keys %s at the same time: one wins, both learn it", async (_case, before) => {
  const { target, secrets } = memoryMerchant({ callback: before });
  const plans = [await set.plan(target, asked, work), await set.plan(target, asked, work)];
  const reports = await Promise.all(plans.map(({ act }) => act(target, work)));
  const [[won, lost]] = [reports.toSorted((left) => (left.isGood ? -1 : 1))];
  const { current, pending } = stagesIn(secrets.callback);
  expect(pending).toBeUndefined();
  expect(won).toMatchObject({ isGood: true, data: { changes: [{ versionId: current }] } });
  expect(won!.below).toContainEqual(
    expect.stringContaining(`The callback keys are changed. Versions now: current ${current},`),
  );
  expect(lost).toMatchObject({ isGood: false });
  expect(lost!.below).toContainEqual(
    expect.stringMatching(
      `^Another command changed the callback keys first, so yours did not\\. Versions now: current ${current}, .* Run "keys check", then decide\\.$`,
    ),
  );
});

describe("a new version does not become current", () => {
  test.each<[string, object, string]>([
    [
      "that was staged more than a day ago, so that the previous keys have all their days",
      { createdAtMilliseconds: 0 },
      "The new callback keys are a day old.",
    ],
    [
      "that Secrets Manager returns changed",
      { text: textOf("B", "callback") },
      "Secrets Manager does not return the new callback keys as they were put in.",
    ],
  ])("%s", async (_case, changes, message) => {
    const { report, stages } = await setWith(({ read }) => ({
      read: async (secretId, versionId) => {
        const version = await read(secretId, versionId);
        return version && { ...version, ...changes };
      },
    }));
    expect(report).toHaveProperty("message", expect.stringContaining(message));
    expect(stages).toMatchObject({ current: idOf("current"), previous: undefined });
  });

  test("without an audit line", async () => {
    const { target, secrets } = memoryMerchant({ callback: once });
    const { act } = await set.plan(target, asked, work);
    await expect(act(withoutAudit(target, "no space left"), work)).rejects.toThrow("no space");
    expect(secrets.callback.versions).toHaveLength(1);
  });
});

test("a move whose answer was lost is found to be done", async () => {
  const { report, stages } = await setWith(({ move }) => ({
    move: async (...args) => {
      await move(...args);
      throw new Error("socket hang up");
    },
  }));
  expect(report).toMatchObject({ isGood: true });
  expect(stages).toMatchObject({ previous: idOf("current"), pending: undefined });
});

test("if AWS refuses in the middle, the error says what is stored, and the same command does the rest", async () => {
  const { target, secrets } = memoryMerchant({ callback: once, request: once });
  const both = { ...asked, requestKeys: textOf("new", "request") };
  const { act } = await set.plan(target, both, work);
  const move: Keys["move"] = (secretId, asked) =>
    secretId === "request" ? Promise.reject(awsDenied) : target.keys.move(secretId, asked);
  await expect(act({ ...target, keys: { ...target.keys, move } }, work)).rejects.toMatchObject({
    code: "aws-denied",
    message: expect.stringContaining("The callback keys are changed. The request keys are not"),
  });
  expect(stagesIn(secrets.request)).toMatchObject({ current: idOf("current") });
  const rest = await set.plan(target, both, work);
  expect(rest.report.data).toMatchObject({
    unchanged: ["callback"],
    changes: [{ kind: "request" }],
  });
  await rest.act(target, work);
  expect(stagesIn(secrets.request)).toMatchObject({ previous: idOf("current") });
});
