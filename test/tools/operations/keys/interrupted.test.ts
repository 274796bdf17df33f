import { describe, expect, test } from "vitest";
import { changeKeys } from "../../../../tools/operations/keys/apply-stages.ts";
import { restore } from "../../../../tools/operations/keys/restore-and-revoke.ts";
import { planNewKeys } from "../../../../tools/operations/keys/set-keys.ts";
import {
  type SecretCalls,
  secretCalls,
} from "../../../../tools/operations/secrets/secret-calls.ts";
import type { Target } from "../../../../tools/operations/target/target.ts";
import { makeMerchant } from "../../../builders/merchant.ts";
import { to } from "../../../integration/fault-proxy.ts";
import { faultyTarget } from "../faulty-target.ts";
import { useOperatedStack } from "../operated-stack.ts";
import { spawnPaycast } from "../spawn-paycast.ts";
import { callbackFile, keySetup, type SetupMerchant } from "./key-setup.ts";

const work = { stopped: new AbortController().signal, tell: () => undefined };
const operated = useOperatedStack();
const setup = keySetup(operated);

type Act = "set" | "correct" | "revoke";
type Plan = Awaited<ReturnType<typeof planNewKeys>>;

const plan = (
  target: Target,
  { merchantId: merchant }: SetupMerchant,
  act: Act = "set",
  callbackKeys = makeMerchant().callbackSecret(),
) => planNewKeys(target, act, { merchant, callbackKeys });

const storeKeys = (target: Target, { act, changes }: Plan, calls?: SecretCalls) =>
  changeKeys(target, act, changes, calls);

/** The real calls, but the move with this number, counted from 1, ends otherwise. */
function callsWith(
  target: Target,
  number: number,
  end: (move: () => Promise<void>) => Promise<void>,
): SecretCalls {
  const calls = secretCalls(target);
  let moves = 0;
  return {
    ...calls,
    move: (secretId, move) => {
      const run = () => calls.move(secretId, move);
      moves += 1;
      return moves === number ? end(run) : run();
    },
  };
}

const dies = async () => {
  throw new Error("killed");
};

describe("two operators who set keys at the same time", () => {
  test.each(["that were never set", "that are set"])(
    "%s: one wins, both learn it",
    async (which) => {
      const merchant =
        which === "that are set" ? await setup.setMerchant() : await setup.newMerchant();
      const target = await setup.target();
      const plans = [await plan(target, merchant), await plan(target, merchant)];
      const ends = (
        await Promise.all(plans.map((candidate) => storeKeys(target, candidate)))
      ).flat();
      expect(ends.map(({ outcome }) => outcome).sort()).toEqual(["done", "lost"]);
      const winner = plans[ends.findIndex(({ outcome }) => outcome === "done")]!;
      const { versionId } = winner.changes[0]!.added!;
      const stages = await setup.stagesOf(merchant.callbackKeys);
      expect(stages["AWSCURRENT"]).toBe(versionId);
      expect(stages["AWSPENDING"]).toBeUndefined();
      for (const end of ends) expect(end.stages.current).toBe(versionId);
    },
  );

  test("the command of the one who lost says so, and that the keys are not current", async () => {
    const merchant = await setup.setMerchant();
    const set = () =>
      setup.keys("set", merchant.merchantId, "--callback-keys", callbackFile(), "--yes");
    const runs = await Promise.all([set(), set(), set()]);
    const { AWSCURRENT } = await setup.stagesOf(merchant.callbackKeys);
    for (const { code, out } of runs) {
      if (code === 0) expect(out).toContain("The callback keys are changed.");
      else expect(out).toContain("first, so yours did not.");
      expect([0, 1]).toContain(code);
    }
    const isWinner = new RegExp(`^callback +current +${AWSCURRENT} `, "m");
    expect(runs.filter(({ out }) => isWinner.test(out))).toMatchObject([{ code: 0 }]);
  });
});

describe("a command that dies", () => {
  test("between putting and moving changes nothing; check tells it, and the next set goes on", async () => {
    const merchant = await setup.setMerchant();
    const target = await setup.target();
    const dying = storeKeys(target, await plan(target, merchant), callsWith(target, 1, dies));
    await expect(dying).rejects.toThrow("killed");
    expect((await setup.stagesOf(merchant.callbackKeys))["AWSCURRENT"]).toBe(
      merchant.callbackVersion,
    );
    const { code, out } = await setup.keys("check", merchant.merchantId);
    expect(out).toContain("callback keys, pending: valid, tried");
    expect(out).toContain("New callback keys were put in as AWSPENDING and never made current");
    expect(code).toBe(0);
    await storeKeys(target, await plan(target, merchant));
    const stages = await setup.stagesOf(merchant.callbackKeys);
    expect(Object.keys(stages).sort()).toEqual(["AWSCURRENT", "AWSPREVIOUS"]);
    expect(stages["AWSPREVIOUS"]).toBe(merchant.callbackVersion);
  });

  test("between the two moves of a correction leaves the good keys current", async () => {
    const merchant = await setup.setMerchant();
    await setup.put(merchant.callbackKeys, "broken");
    const target = await setup.target();
    const dying = storeKeys(target, await plan(target, merchant), callsWith(target, 2, dies));
    await expect(dying).rejects.toThrow("killed");
    expect((await setup.stagesOf(merchant.callbackKeys))["AWSCURRENT"]).toBe(
      merchant.callbackVersion,
    );
    await storeKeys(target, await plan(target, merchant));
    expect((await setup.stagesOf(merchant.callbackKeys))["AWSPREVIOUS"]).toBe(
      merchant.callbackVersion,
    );
  });

  test("between the two moves of a correction does the same when it runs again", async () => {
    const merchant = await setup.setMerchant();
    const wrong = await setup.put(merchant.callbackKeys, makeMerchant().callbackSecret());
    const target = await setup.target();
    const right = makeMerchant().callbackSecret();
    const correct = () => plan(target, merchant, "correct", right);
    await expect(storeKeys(target, await correct(), callsWith(target, 2, dies))).rejects.toThrow(
      "killed",
    );
    expect(await setup.stagesOf(merchant.callbackKeys)).toMatchObject({
      AWSCURRENT: merchant.callbackVersion,
      AWSPREVIOUS: wrong,
    });
    const { out } = await setup.keys("check", merchant.merchantId);
    expect(out).toContain("The previous callback keys are newer than the current ones");
    await storeKeys(target, await correct());
    const stages = await setup.stagesOf(merchant.callbackKeys);
    expect(stages).toEqual({
      AWSCURRENT: expect.any(String),
      AWSPREVIOUS: merchant.callbackVersion,
    });
    expect(JSON.parse(await setup.textOf(merchant.callbackKeys))).toEqual(JSON.parse(right));
  });

  test.each([1, 2, 3])(
    "at move %i of the replacement of leaked keys takes them out when it runs again",
    async (number) => {
      const merchant = await setup.setMerchant();
      const target = await setup.target();
      const right = makeMerchant().callbackSecret();
      const replace = () => plan(target, merchant, "revoke", right);
      await expect(
        storeKeys(target, await replace(), callsWith(target, number, dies)),
      ).rejects.toThrow("killed");
      await storeKeys(target, await replace());
      const stages = await setup.stagesOf(merchant.callbackKeys);
      expect(stages).toEqual({ AWSCURRENT: expect.not.stringMatching(merchant.callbackVersion) });
      expect(JSON.parse(await setup.textOf(merchant.callbackKeys))).toEqual(JSON.parse(right));
      expect(await setup.revokedOf(merchant.callbackKeys)).toEqual([merchant.callbackVersion]);
      expect((await replace()).changes).toEqual([]);
    },
  );

  test("between the two moves of a restore finishes it when it runs again, and does not go forth", async () => {
    const merchant = await setup.setMerchant();
    const wrong = await setup.put(merchant.callbackKeys, makeMerchant().callbackSecret());
    const target = await setup.target();
    const stored = { kind: "callback", secretId: merchant.callbackKeys } as const;
    const change = {
      stored: {
        ...stored,
        ...merchant,
        stages: {
          current: wrong,
          previous: merchant.callbackVersion,
          revoked: [],
          changedAtMilliseconds: 0,
        },
      },
      goal: { current: merchant.callbackVersion },
    };
    await expect(
      changeKeys(target, "restore", [change], callsWith(target, 2, dies)),
    ).rejects.toThrow("killed");
    const again = await restore.plan(target, { merchant: merchant.merchantId }, work);
    expect((await again.act(target, work)).isGood).toBe(true);
    expect(await setup.stagesOf(merchant.callbackKeys)).toEqual({
      AWSCURRENT: merchant.callbackVersion,
    });
  });

  test("by SIGKILL, in the middle, leaves the keys of before in place", async () => {
    const merchant = await setup.setMerchant();
    const { AWSPENDING, ...before } = await setup.stagesOf(merchant.callbackKeys);
    expect(AWSPENDING).toBeUndefined();
    let kill = () => {};
    const { directory, proxy } = await faultyTarget(operated, () => kill());
    proxy.fail(to("secretsmanager", "UpdateSecretVersionStage"), { kind: "die-before" });
    const args = ["keys", "set", merchant.merchantId, "--callback-keys", callbackFile(), "--yes"];
    const { child, ended } = spawnPaycast(directory, ...args);
    kill = () => void child.kill("SIGKILL");
    expect((await ended).code).toBeNull();
    const { AWSPENDING: pending, ...after } = await setup.stagesOf(merchant.callbackKeys);
    expect({ pending: typeof pending, ...after }).toEqual({ pending: "string", ...before });
  });
});

test("a version that was staged more than a day ago never becomes current, so that the previous keys have all their days", async () => {
  const merchant = await setup.setMerchant();
  const target = await setup.target();
  const calls = secretCalls(target);
  const read: SecretCalls["read"] = async (secretId, versionId) => {
    const version = await calls.read(secretId, versionId);
    const twoDays = 2 * 86_400_000;
    return version && { ...version, createdAtMilliseconds: Date.now() - twoDays };
  };
  const storing = storeKeys(target, await plan(target, merchant), { ...calls, read });
  await expect(storing).rejects.toThrow("The new callback keys are a day old.");
  const { AWSCURRENT } = await setup.stagesOf(merchant.callbackKeys);
  expect(AWSCURRENT).toBe(merchant.callbackVersion);
});

test("a value that Secrets Manager returns changed is never made current", async () => {
  const merchant = await setup.setMerchant();
  const target = await setup.target();
  const calls = secretCalls(target);
  const read: SecretCalls["read"] = async (secretId, versionId) => {
    const version = await calls.read(secretId, versionId);
    return version && { ...version, text: merchant.keys.callbackSecret() };
  };
  const storing = storeKeys(target, await plan(target, merchant), { ...calls, read });
  await expect(storing).rejects.toThrow("does not return the new callback keys");
  expect((await setup.stagesOf(merchant.callbackKeys))["AWSCURRENT"]).toBe(
    merchant.callbackVersion,
  );
});

test("a move whose answer was lost is found to be done", async () => {
  const merchant = await setup.setMerchant();
  const target = await setup.target();
  const loses = async (move: () => Promise<void>) => {
    await move();
    throw new Error("socket hang up");
  };
  const [end] = await storeKeys(target, await plan(target, merchant), callsWith(target, 1, loses));
  expect(end).toMatchObject({ outcome: "done", stages: { previous: merchant.callbackVersion } });
});

test("if AWS refuses in the middle, the error says what is stored, and the same command does the rest", async () => {
  const merchant = await setup.setMerchant();
  const target = await setup.target();
  const keys = makeMerchant();
  const given = { callbackKeys: keys.callbackSecret(), requestKeys: keys.requestSecret() };
  const planBoth = () => planNewKeys(target, "set", { merchant: merchant.merchantId, ...given });
  const denied = Object.assign(new Error("denied"), { name: "AccessDeniedException" });
  // The third move is that of the request keys: the callback keys take two, current and pending.
  const calls = callsWith(target, 3, () => Promise.reject(denied));
  await expect(storeKeys(target, await planBoth(), calls)).rejects.toMatchObject({
    code: "aws-denied",
    message: expect.stringContaining("The callback keys are changed. The request keys are not"),
  });
  expect((await setup.stagesOf(merchant.requestKeys))["AWSCURRENT"]).toBe(merchant.requestVersion);
  const rest = await planBoth();
  expect(rest).toMatchObject({
    unchanged: ["callback"],
    changes: [{ stored: { kind: "request" } }],
  });
  await storeKeys(target, rest);
  expect(JSON.parse(await setup.textOf(merchant.requestKeys))).toEqual(
    JSON.parse(keys.requestSecret()),
  );
});
