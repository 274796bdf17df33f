import { PutItemCommand, QueryCommand } from "@aws-sdk/client-dynamodb";
import { describe, expect, test, vi } from "vitest";
import { dayPlaceOf } from "../../../../shared/orders/day.ts";
import { newOrder } from "../../../../shared/orders/order.ts";
import { findKnownPayment, proveKeys } from "../../../../tools/operations/calling/prove-keys.ts";
import type { Finding } from "../../../../tools/operations/check/finding.ts";
import { keyChecks } from "../../../../tools/operations/check/key-checks.ts";
import type { Look } from "../../../../tools/operations/described/description.ts";
import { fewAtOnce } from "../../../../tools/operations/few-at-once.ts";
import { checkKeys } from "../../../../tools/operations/keys/check-keys.ts";
import { keys } from "../../../../tools/operations/keys/keys.ts";
import { revoke } from "../../../../tools/operations/keys/restore-and-revoke.ts";
import { set } from "../../../../tools/operations/keys/set-keys.ts";
import { readVersionUse } from "../../../../tools/operations/records/version-use.ts";
import { tryToExplain } from "../../../../tools/operations/refusals/explain-refusals.ts";
import {
  countWith,
  firstMinuteOf,
  type ReadMetrics,
} from "../../../../tools/operations/telemetry/metric.ts";
import { makeMerchant } from "../../../builders/merchant.ts";
import { until } from "../../../end-to-end/running-stack.ts";
import { putItem } from "../../../integration/aws-stores.ts";
import { to } from "../../../integration/fault-proxy.ts";
import { writtenFile } from "../../cli/run-paycast.ts";
import { faultyTarget } from "../faulty-target.ts";
import { useOperatedStack } from "../operated-stack.ts";
import { callbackFile, keySetup, requestFile } from "./key-setup.ts";

const work = { stopped: new AbortController().signal, tell: () => undefined };
const operated = useOperatedStack();
const setup = keySetup(operated);
const check = (merchantId: string) => setup.keys("check", merchantId);

/** Before merchants are added that have no payment: `check` looks for one of each merchant, for two weeks. */
describe("request keys", () => {
  /** At the speed of this clock an order of 30 minutes expires after 18 seconds, and a callback tells of it. */
  const longLived = () => ({ paymentExpiryTime: Date.now() + 23 * 3_600_000 });
  const set = (file: string, ...flags: string[]) =>
    setup.keys("set", "shop-1", "--request-keys", file, "--yes", ...flags);
  const secret = () => operated.target().merchants[0]!.requestKeys!;

  test("are proven by the answer 20000 to a question about a payment that is known", async () => {
    const { body } = await operated.shop().create("PROOF", longLived());
    const proof = `proven: the service responded to a query about payment ${body.paymentId} with 20000.`;
    const { out } = await check("shop-1");
    expect(out).toContain(`\nThe request keys are ${proof}\nThe keys are good.`);
    const findings = await operated.paycastJson("check");
    const found = findings.find(({ check: name }: Finding) => name === "request keys of shop-1");
    expect(found).toMatchObject({ status: "ok", message: expect.stringContaining(` ${proof}`) });
  });

  test("are not proven, and that is no error, while the orders cannot be read", async () => {
    const { tables, ...target } = operated.target();
    const unreadable = { ...target, tables: { ...tables, orders: "no-such-table" } };
    const proof = await proveKeys(unreadable, "shop-1", { text: await setup.textOf(secret()) });
    expect(proof).toMatchObject({
      outcome: "not-asked",
      text: expect.stringMatching(/^not proven: AWS rejected a call: ResourceNotFound/),
    });
  });

  const putOrder = async (merchantId: string, secondsAgo: number, ...paymentIds: string[]) => {
    const { clients, tables } = operated.target();
    const order = newOrder(merchantId, `O-${secondsAgo}`);
    const place = dayPlaceOf(order, Date.now() - secondsAgo * 1_000);
    await putItem(clients.dynamodb, tables.orders, { ...order, ...place, paymentIds });
  };

  test("are proven with the newest payment, behind a page of orders that have none", async () => {
    for (let age = 0; age < 25; age += 1) await putOrder("refused-shop", age);
    await putOrder("refused-shop", 25, "PAY-OLD");
    expect(await findKnownPayment(operated.target(), "refused-shop")).toBe("PAY-OLD");
  });

  test("are proven with a payment of two weeks ago, and two weeks are read only if none is newer", async () => {
    const find = () => findKnownPayment(operated.target(), "quiet-shop");
    await putOrder("quiet-shop", 13 * 86_400, "PAY-OLD");
    expect(await find()).toBe("PAY-OLD");
    await putOrder("quiet-shop", 3_600, "PAY-NEW");
    const calls = vi.spyOn(operated.target().clients.dynamodb, "send").mock.calls;
    expect(await find()).toBe("PAY-NEW");
    const queries = calls.filter(([command]) => command instanceof QueryCommand);
    expect(queries).toHaveLength(2 * 8);
  });

  test("that the service accepts become current, and others only as --unproven", async () => {
    const { AWSCURRENT: right } = await setup.stagesOf(secret());
    const wrong = requestFile();
    const refused = await set(wrong);
    expect(refused.out).toMatch(
      /Warning: The new request keys are not proven: the service responded to a query about payment \w+ with 40103: body cannot be decrypted\. If the service/,
    );
    expect(refused.out).toContain("To do it anyway, add --unproven.");
    expect(refused.code).toBe(1);
    expect(await setup.stagesOf(secret())).toEqual({ AWSCURRENT: right });

    const rightFile = writtenFile(await setup.textOf(secret()));
    expect((await set(wrong, "--unproven")).code).toBe(0);
    const { out } = await check("shop-1");
    expect(out).toMatch(/Warning: The request keys are not proven: .* 40103: body cannot be decr/);
    expect(out).not.toContain("The keys are good.");
    const checked = await operated.paycast("check");
    expect(checked.out).toMatch(
      /^warning +request keys of shop-1 .* They are not proven: .* 40103: /m,
    );
    expect(checked.out).toContain("npx paycast keys restore shop-1 --only request");

    expect(await set(rightFile)).toMatchObject({
      code: 0,
      out: expect.stringContaining("The new request keys are proven: the service responded"),
    });
  });

  test("that the operator may not read are a plain line, and the callback keys are reported", async () => {
    const { target, proxy } = await faultyTarget(operated);
    const error = { status: 400, type: "AccessDeniedException" };
    proxy.fail(({ input }) => input["SecretId"] === secret(), { kind: "refuse", error });
    const { merchants } = await checkKeys(target, "shop-1");
    expect(merchants[0]).toMatchObject({
      problems: [],
      secrets: [
        { kind: "callback", versions: [{ stage: "current" }] },
        { kind: "request", versions: [], unread: expect.stringContaining("AWS denied a call") },
      ],
    });
    expect(merchants[0]!.proof).toBeUndefined();
  });

  test("and callback keys that the operator may not read are not looked at, which is no problem", async () => {
    const { target, proxy } = await faultyTarget(operated);
    const error = { status: 400, type: "AccessDeniedException" };
    proxy.fail(to("secretsmanager", "GetSecretValue"), { kind: "refuse", error });
    const [merchant] = target.merchants;
    const context = { now: target.now, fetch, commandVersion: "1", limitMilliseconds: 60_000 };
    const checks = keyChecks({ ...target, merchants: [merchant!] });
    const verdicts = await Promise.all(checks.map(({ run }) => run(target, context)));
    const unread = {
      status: "ok",
      message: expect.stringMatching(/^not checked\. AWS denied a call/),
    };
    expect(verdicts).toEqual([[unread], [unread]]);
  });

  test("are not proven as long as there is no payment to ask about", async () => {
    const { merchantId } = await setup.setMerchant();
    const { code, out } = await check(merchantId);
    expect(out).toContain(
      "The request keys are not proven: no payment is known to query.\nThe keys are good.",
    );
    expect(code).toBe(0);
  });
});

describe("keys check", () => {
  test("of the local stack's own keys is good, for every merchant", async () => {
    const { code, out } = await setup.keys("check");
    expect(out).toMatch(/^shop-1\n/);
    expect(out).toContain("The keys are good.");
    expect(out).toMatch(/RSA key +2048 bits, SHA-256 ([0-9a-f]{2}:){11}[0-9a-f]{2}/);
    expect(code).toBe(0);
  });

  test("of keys that were never set is 1", async () => {
    const { merchantId } = await setup.newMerchant();
    const { code, out } = await check(merchantId);
    expect(out).toContain("Problem: The callback keys are not set.");
    expect(out).toContain("Problem: The request keys are not set.");
    expect(code).toBe(1);
  });

  test("of keys that are not valid is 1, and names the field", async () => {
    const merchant = await setup.setMerchant();
    await setup.put(merchant.callbackKeys, '{"aesKey":"c2hvcnQ=","servicePublicKey":"x"}');
    const { code, out } = await check(merchant.merchantId);
    expect(out).toContain("callback keys, current: not valid");
    expect(out).toContain("callback keys, previous: valid, tried");
    expect(out).toContain("aesKey must be 16, 24 or 32 bytes long");
    expect(code).toBe(1);
  });

  test("of request keys whose profile cannot seal is 1, of such callback keys it is not", async () => {
    const merchant = await setup.newMerchant();
    const keys = makeMerchant({ profile: { cipher: "GCM", iv: "zero" } });
    await setup.put(merchant.callbackKeys, keys.callbackSecret());
    await setup.put(merchant.requestKeys, keys.requestSecret());
    const { problems } = (await operated.paycastJson("keys", "check", merchant.merchantId))
      .merchants[0];
    expect(problems).toEqual([expect.stringContaining("The current request keys are not valid.")]);
  });

  test("warns if the two secrets have another AES key or profile", async () => {
    const merchant = await setup.setMerchant();
    await setup.put(
      merchant.requestKeys,
      makeMerchant({ profile: { numbers: "string" } }).requestSecret(),
    );
    const { code, out } = await check(merchant.merchantId);
    expect(out).toContain("have a different AES key.");
    expect(out).toContain("have a different wire profile.");
    expect(code).toBe(0);
  });

  test("shows no key and no fixed IV, in text and in JSON", async () => {
    const merchant = await setup.newMerchant();
    const fixedIv = "00112233445566778899aabbccddeeff";
    const keys = makeMerchant({ profile: { iv: "fixed", fixedIv } });
    await setup.put(merchant.callbackKeys, keys.callbackSecret());
    await setup.put(merchant.requestKeys, keys.requestSecret());
    const { aesKey, merchantPrivateKey } = JSON.parse(keys.requestSecret());
    const text = (await check(merchant.merchantId)).out;
    const json = JSON.stringify(await operated.paycastJson("keys", "check", merchant.merchantId));
    for (const shown of [text, json]) {
      expect(shown).toContain("(set)");
      for (const secret of [aesKey, fixedIv, merchantPrivateKey.split("\n")[1]]) {
        expect(shown).not.toContain(secret);
      }
    }
  });

  test("shows a hostile merchant id without its control characters", async () => {
    const merchant = await setup.newMerchant("evil\u001b[2J\u202e店");
    const { out } = await check(merchant.merchantId);
    expect(out).toContain("evil\ufffd[2J\ufffd店");
    expect(out).not.toContain("\u001b");
  });
});

describe("the AES key", () => {
  test("has a fingerprint, which is another one for another merchant with the same key", async () => {
    const [first, other] = [await setup.setMerchant(), await setup.newMerchant()];
    await setup.put(other.callbackKeys, first.keys.callbackSecret());
    const printsOf = async (merchantId: string) => {
      const { out } = await check(merchantId);
      return [...out.matchAll(/AES key +256 bits, fingerprint ([0-9a-f]{8})$/gm)].map(
        ([, id]) => id,
      );
    };
    const [callback, request] = await printsOf(first.merchantId);
    expect(request).toBe(callback);
    expect(await printsOf(other.merchantId)).toEqual([expect.not.stringMatching(callback!)]);
  });

  test("is compared by its fingerprint before new keys are set", async () => {
    const merchant = await setup.setMerchant();
    const set = async (keys = merchant.keys) => {
      const file = ["--callback-keys", callbackFile(keys)];
      return (await setup.keys("set", merchant.merchantId, ...file)).out;
    };
    expect(await set(makeMerchant())).toMatch(
      /AES key +256 bits, fingerprint [0-9a-f]{8} \(now [0-9a-f]{8}\)/,
    );
  });
});

test("a previous version that still verifies callbacks is counted, and a rotation that would push it out is refused", async () => {
  const rotate = (...flags: string[]) =>
    setup.keys("set", "shop-1", "--callback-keys", callbackFile(), "--yes", ...flags);
  const { callbackKeys } = operated.target().merchants[0]!;
  const { AWSCURRENT: old } = await setup.stagesOf(callbackKeys);
  expect((await rotate()).code).toBe(0);
  const before = await check("shop-1");
  expect(before.out).toContain(
    "it is not known whether the service still uses the previous callback keys",
  );
  await operated.paidOrder("SO-keys-1");
  const used = await until("the callback's record", async () => {
    const { out } = await check("shop-1");
    return out.includes("The previous callback keys are still in use:") ? out : undefined;
  });
  expect(used).toMatch(
    /still in use: they verified \d of the last \d+ callbacks?, and the current ones none yet\. If the service has changed its key already, the current ones are wrong; the previous ones verify until \S+Z\.$/m,
  );
  expect(used).toMatch(
    /last used +\d{4}-\d\d-\d\dT[^\n]+ ago\)\n +verified +\d of the last \d+ callback/,
  );
  expect(used).toMatch(/^Read the last \d+ callbacks? of all merchants, since \S+:\d\dZ\.$/m);
  const refused = await rotate();
  expect(refused.out).toMatch(
    /Warning: The previous callback keys are still in use: they verified \d of the last \d+ callbacks?, the last at /,
  );
  expect(refused.out).toContain("add --force");
  expect(refused.code).toBe(1);
  expect((await setup.stagesOf(callbackKeys))["AWSPREVIOUS"]).toBe(old);
  expect((await rotate("--force")).code).toBe(0);
  expect(Object.values(await setup.stagesOf(callbackKeys))).not.toContain(old);
});

describe("the use of a version", () => {
  const noon = Date.UTC(2031, 4, 1, 12, 30);
  const record = async (
    minutesAgo: number,
    keyVersion: string | undefined,
    shard = 0,
    time = noon,
    merchantId?: string,
  ) => {
    const recordedAt = new Date(time - minutesAgo * 60_000).toISOString();
    const strings = {
      callbackKey: `use-${keyVersion}-${minutesAgo}-${shard}`,
      receipt: "first",
      timeBucket: `${recordedAt.slice(0, 13)}#${shard}`,
      recordedAt,
      ...(keyVersion && { keyVersion }),
      ...(merchantId && { merchantId }),
    };
    const Item = Object.fromEntries(Object.entries(strings).map(([name, S]) => [name, { S }]));
    const { clients, tables } = operated.target();
    await clients.dynamodb.send(new PutItemCommand({ TableName: tables.callbacks, Item }));
    return recordedAt;
  };
  const now = () => noon;

  const old = (versionId: string) => ({ versionId, createdAtMilliseconds: 0 });

  test("is the newest record of any shard, as far back as it takes to see each version", async () => {
    await record(170, "one");
    await record(70, "two", 3);
    const newest = await record(65, "two", 7);
    await record(10, "three", 1);
    // News from a query: no callback, and no keys verified it.
    await record(9, undefined, 1);
    const near = await readVersionUse(operated.target(), [old("three")], now);
    expect(near).toMatchObject({ callbacks: 1, since: "2031-05-01T12:00:00.000Z" });
    const use = await readVersionUse(operated.target(), [old("two"), old("three")], now);
    expect(use).toMatchObject({ callbacks: 4, since: "2031-05-01T07:00:00.000Z" });
    expect(use.lastUsedAt.get("two")).toBe(newest);
    expect(use.timesUsed.get("two")).toBe(2);
    const day = await readVersionUse(operated.target(), [old("never")], now);
    expect(day.since).toBe("2031-04-30T13:00:00.000Z");
  });

  test("is looked for up to the hour before the version was made", async () => {
    const young = { versionId: "young", createdAtMilliseconds: noon - 70 * 60_000 };
    const use = await readVersionUse(operated.target(), [young], now);
    expect(use).toMatchObject({ callbacks: 3, since: "2031-05-01T10:00:00.000Z" });
  });

  test("is read up to 2,000 entries, the newest first, and claims no record that was not read", async () => {
    const later = noon + 24 * 3_600_000;
    const { clients, tables } = operated.target();
    const times = Array.from({ length: 2_010 }, (_item, index) => later - 1_000 - index * 500);
    await fewAtOnce(times, async (time) => {
      const recordedAt = new Date(time).toISOString();
      const timeBucket = `${recordedAt.slice(0, 13)}#${time % 3}`;
      const names = { callbackKey: `limit-${time}`, receipt: "first", keyVersion: "busy" };
      await putItem(clients.dynamodb, tables.callbacks, { ...names, timeBucket, recordedAt });
    });
    const use = await readVersionUse(operated.target(), [old("never")], () => later);
    expect(use.callbacks).toBe(2_000);
    expect(use.timesUsed.get("busy")).toBe(2_000);
    expect(use.since).toBe(new Date(times[1_999]!).toISOString());
  });

  test("of a merchant with refused callbacks is found behind those of busier ones, or said not to be among them", async () => {
    const later = noon + 24 * 3_600_000;
    const merchant = await setup.setMerchant();
    const target = { ...(await setup.target()), now: () => later };
    /** Refused in the last minutes, and accepted so many minutes ago. */
    const explained = async (...acceptedAgo: number[]) => {
      const metrics: ReadMetrics = async (_metrics, range) =>
        countWith(range, firstMinuteOf(range, later), ({ name }) => {
          const minutesAgo = name === "Accepted" ? acceptedAgo : [1, 2, 3];
          const perStep = Array.from({ length: range.steps }, () => 0);
          for (const minutes of minutesAgo) {
            perStep[range.steps - 1 - Math.floor(minutes / range.stepMinutes)]! += 1;
          }
          return perStep;
        });
      return await tryToExplain(target, merchant, metrics);
    };
    const { merchantId } = merchant;
    expect(await explained()).toMatchObject({
      kind: "all",
      text: expect.stringMatching(
        new RegExp(
          `none of ${merchantId}'s is among the last 2,000 callbacks, since \\S+:\\d\\dZ\\.$`,
        ),
      ),
    });
    await record(30, "of-quiet", 5, later, merchantId);
    expect(await explained(30)).toMatchObject({
      kind: "all",
      text: expect.stringMatching(/1 callback before that was verified by version of-quiet, which/),
    });
  });

  test("of before for a day and longer, and none of the current one, is what the check warns of", async () => {
    const merchant = await setup.setMerchant();
    const { callbackKeys, callbackVersion: old } = merchant;
    const wrong = await setup.put(callbackKeys, makeMerchant().callbackSecret());
    const target = await setup.target();
    const [checkOfKeys] = keyChecks({ ...target, merchants: [merchant] });
    const later = Date.now() + 25 * 3_600_000;
    const found = async (time: number) => {
      const now = () => time;
      const context = { now, fetch, commandVersion: "1", limitMilliseconds: 60_000 };
      const [verdict] = await checkOfKeys!.run({ ...target, now }, context);
      return verdict!;
    };
    await record(1, old, 0, later);
    await record(2, old, 1, later);
    expect(await found(later)).toMatchObject({ status: "ok" });
    await record(3, old, 2, later);
    expect(await found(later)).toMatchObject({
      status: "warning",
      message: expect.stringMatching(
        /verified none of the last callbacks; the previous ones verified 3 of the last 3 callbacks\. They verify until \S+Z, and then every callback is rejected\./,
      ),
      action: expect.stringContaining(`keys restore ${merchant.merchantId} --only callback`),
    });
    // Within a day of the rotation the service may still use its old key.
    expect(await found(later - 2 * 3_600_000)).toMatchObject({ status: "ok" });
    await record(4, wrong, 3, later);
    expect(await found(later)).toMatchObject({ status: "ok" });
  });

  test("by a version without a stage is what the check warns of, also without usable previous keys", async () => {
    const merchant = await setup.setMerchant();
    const { merchantId, callbackKeys } = merchant;
    const later = Date.now() + 50 * 3_600_000;
    const target = await setup.target();
    const [checkOfKeys] = keyChecks({ ...target, merchants: [merchant] });
    const found = async (time: number) => {
      const now = () => time;
      const context = { now, fetch, commandVersion: "1", limitMilliseconds: 60_000 };
      const [verdict] = await checkOfKeys!.run({ ...target, now }, context);
      return verdict!;
    };
    const lost = {
      status: "warning",
      message: expect.stringMatching(/^Version \S+ verified 1 of .* neither current nor prev/),
    };
    const { callbackVersion: version } = merchant;
    for (const _time of [1, 2]) await setup.put(callbackKeys, makeMerchant().callbackSecret());
    await record(1, version, 0, later, merchantId);
    const restored = { ...lost, action: expect.stringContaining(`--version ${version}`) };
    expect(await found(later)).toMatchObject(restored);
    // Secrets Manager holds no such version any more.
    await record(0, "deleted", 0, later, merchantId);
    const set = { ...lost, action: expect.stringMatching(/^Get the .* --correct$/) };
    expect(await found(later)).toMatchObject(set);
    // The time of these previous keys is over.
    await setup.put(callbackKeys, makeMerchant().callbackSecret());
    const muchLater = later + 10 * 24 * 3_600_000;
    await record(1, version, 0, muchLater, merchantId);
    expect(await found(muchLater)).toMatchObject(restored);
  });

  test("is not known while the records cannot be read, and the keys can be changed all the same", async () => {
    const merchant = await setup.setMerchant();
    await setup.put(merchant.callbackKeys, makeMerchant().callbackSecret());
    const { tables, ...target } = await setup.target();
    const blind = { ...target, tables: { ...tables, callbacks: "no-such-table" } };
    const asked = { merchant: merchant.merchantId, callbackKeys: makeMerchant().callbackSecret() };
    const refused = await set.plan(blind, asked, work);
    expect(refused.yes).toBeUndefined();
    expect(refused.report.below).toContainEqual(
      expect.stringMatching(/^Warning: Whether the previous .* is not known\. AWS rejected a call/),
    );
    expect((await set.plan(blind, { ...asked, force: true }, work)).yes).toBe("Store");
    const { merchantId } = merchant;
    const problem = expect.stringContaining("AWS rejected");
    const { looked, merchants } = await checkKeys(blind, merchantId);
    expect(looked).toMatchObject({ callbacks: 0, problem });
    const [, previous] = merchants[0]!.secrets[0]!.versions;
    expect(previous).toMatchObject({ stage: "previous", isUseUnknown: true });
    expect(previous!.retirement).toBeUndefined();
    const [check] = keys.operations as [Look];
    const { sections } = await check.look(blind, { merchant: merchantId }, work);
    const versions = sections!.flatMap((merchantSection) => merchantSection.sections ?? []);
    const lastUsed = versions.flatMap(({ facts = [] }) =>
      facts.flatMap(([name, value]) => (name === "last used" && value ? [value] : [])),
    );
    expect(lastUsed).toEqual(["not known", "not known"]);
    const { report } = await revoke.plan(blind, { merchant: merchantId, previous: true }, work);
    expect(report.data).toMatchObject({ problem });
  });
});
