import { describe, expect, test } from "vitest";
import { planKeys } from "../../../../tools/operations/keys/plan-keys.ts";
import { storeKeys } from "../../../../tools/operations/keys/store-keys.ts";
import { type SecretCalls, secretCalls } from "../../../../tools/operations/keys/stored-keys.ts";
import type { Target } from "../../../../tools/operations/target/target.ts";
import { makeMerchant } from "../../../builders/merchant.ts";
import { to } from "../../../integration/fault-proxy.ts";
import { faultyTarget } from "../faulty-target.ts";
import { useOperatedStack } from "../operated-stack.ts";
import { spawnPaycast } from "../spawn-paycast.ts";
import { callbackFile, keySetup, type SetupMerchant } from "./key-setup.ts";

const operated = useOperatedStack();
const setup = keySetup(operated);

const plan = (target: Target, { merchantId }: SetupMerchant, act: "set" | "rotate" = "set") => {
  const given = { callbackKeys: makeMerchant().callbackSecret() };
  return planKeys(target, { merchantId, act, given });
};

/** The real calls, but the move with this number, counted from 1, ends otherwise. */
function callsWith(
  target: Target,
  number: number,
  end: (move: () => Promise<void>) => Promise<void>,
): SecretCalls {
  const calls = secretCalls(target.clients.secretsManager);
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
      const ends = (await Promise.all(plans.map((one) => storeKeys(target, one)))).flat();
      expect(ends.map(({ outcome }) => outcome).sort()).toEqual(["lost", "stored"]);
      const winner = ends.find(({ outcome }) => outcome === "stored")!;
      const stages = await setup.stagesOf(merchant.callbackKeys);
      expect(stages["AWSCURRENT"]).toBe(winner.versionId);
      expect(stages["AWSPENDING"]).toBeUndefined();
      for (const { holders } of ends) expect(holders.current).toBe(winner.versionId);
    },
  );

  test("the command of the one who lost says so, and that the keys are not current", async () => {
    const merchant = await setup.setMerchant();
    const set = () =>
      setup.keys("set", merchant.merchantId, "--callback-keys", callbackFile(), "--yes");
    const runs = await Promise.all([set(), set(), set()]);
    const { AWSCURRENT } = await setup.stagesOf(merchant.callbackKeys);
    for (const { code, out } of runs) {
      if (code === 0) expect(out).toContain("The new callback keys are current.");
      else expect(out).toContain("Your keys are NOT current.");
      expect([0, 1]).toContain(code);
    }
    expect(runs.filter(({ out }) => out.includes(`new version  ${AWSCURRENT}`))).toMatchObject([
      { code: 0 },
    ]);
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
    const { code, out } = await setup.keys("check", merchant.merchantId, "--hours", "1");
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

test("a version that was staged more than a day ago is written anew, so that the previous keys have all their days", async () => {
  const merchant = await setup.setMerchant();
  const target = await setup.target();
  const planned = await plan(target, merchant);
  const [stagedId, twoDays] = [planned.changes[0]!.versionId, 2 * 86_400_000];
  const calls = secretCalls(target.clients.secretsManager);
  const read: SecretCalls["read"] = async (secretId, versionId) => {
    const version = await calls.read(secretId, versionId);
    if (version === undefined || versionId !== stagedId) return version;
    return { ...version, createdAtMilliseconds: version.createdAtMilliseconds - twoDays };
  };
  const [end] = await storeKeys(target, planned, { ...calls, read });
  expect(end).toMatchObject({ outcome: "stored", holders: { current: end!.versionId } });
  expect(end!.versionId).not.toBe(stagedId);
  expect(await setup.stagesOf(merchant.callbackKeys)).toEqual({
    AWSCURRENT: end!.versionId,
    AWSPREVIOUS: merchant.callbackVersion,
  });
  expect(await setup.textOf(merchant.callbackKeys)).toBe(planned.changes[0]!.text);
  expect(setup.auditLines().at(-1)).toContain(end!.versionId);
});

test("a value that Secrets Manager gives back changed is never made current", async () => {
  const merchant = await setup.setMerchant();
  const target = await setup.target();
  const calls = secretCalls(target.clients.secretsManager);
  const read: SecretCalls["read"] = async (secretId, versionId) => {
    const version = await calls.read(secretId, versionId);
    return version && { ...version, text: merchant.keys.callbackSecret() };
  };
  const storing = storeKeys(target, await plan(target, merchant), { ...calls, read });
  await expect(storing).rejects.toThrow("does not give the new callback keys back");
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
  expect(end).toMatchObject({ outcome: "stored", holders: { current: end!.versionId } });
});

test("if AWS refuses in the middle, the error says what is stored, and the same command does the rest", async () => {
  const merchant = await setup.setMerchant();
  const target = await setup.target();
  const keys = makeMerchant();
  const given = { callbackKeys: keys.callbackSecret(), requestKeys: keys.requestSecret() };
  const planBoth = () => planKeys(target, { merchantId: merchant.merchantId, act: "set", given });
  const denied = Object.assign(new Error("denied"), { name: "AccessDeniedException" });
  // The third move is that of the request keys: the callback keys take two, current and pending.
  const calls = callsWith(target, 3, () => Promise.reject(denied));
  await expect(storeKeys(target, await planBoth(), calls)).rejects.toMatchObject({
    code: "aws-denied",
    message: expect.stringContaining("The callback keys are stored. The request keys are not"),
  });
  expect((await setup.stagesOf(merchant.requestKeys))["AWSCURRENT"]).toBe(merchant.requestVersion);
  const rest = await planBoth();
  expect(rest).toMatchObject({ unchanged: ["callback"], changes: [{ kind: "request" }] });
  await storeKeys(target, rest);
  expect(JSON.parse(await setup.textOf(merchant.requestKeys))).toEqual(
    JSON.parse(keys.requestSecret()),
  );
});
