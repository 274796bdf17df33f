import { describe, expect, test } from "vitest";
import type { Finding } from "../../tools/operations/check/finding.ts";
import { flowStages } from "../../tools/operations/overview/flow-stages.ts";
import { readFlow } from "../../tools/operations/overview/read-flow.ts";
import { orderResult } from "../builders/callback.ts";
import { makeMerchant } from "../builders/merchant.ts";
import { until } from "../end-to-end/running-stack.ts";
import { keySetup, requestFile } from "../tools/operations/keys/key-setup.ts";
import { useOperatedStack } from "../tools/operations/operated-stack.ts";
import { createCallbackSender } from "./causes.ts";

const operated = useOperatedStack({
  merchants: ["wrong-keys", "forged", "late", "wrong-requests", "hidden"],
});
const { put, stagesOf } = keySetup(operated);

const keptSeconds = 5 * 60;
const pass = (seconds: number) => operated.shop().step(seconds);

const secretsOf = (merchantId: string) =>
  operated.target().stack.merchants.find((merchant) => merchant.merchantId === merchantId)!;

/** The service tells of so many orders. Gives the statuses of the answers. */
async function callbacks(merchantId: string, count: number, how: object = {}): Promise<number[]> {
  const send = createCallbackSender(operated, merchantId);
  const statuses: number[] = [];
  for (let number = 0; number < count; number += 1) {
    const referOrderNo = `${merchantId}-${crypto.randomUUID().slice(0, 8)}`;
    statuses.push(await send(orderResult({ merchantId, referOrderNo }), how));
  }
  return statuses;
}

const isStored = (merchantId: string, versionId: string, count: number) =>
  until("the records", async () => {
    const { out } = await operated.paycast("keys", "check", merchantId);
    return new RegExp(`${versionId}[\\s\\S]*verified +${count} of the last`).test(out)
      ? true
      : undefined;
  });

/** What check finds about keys. */
async function found(kind: "callback" | "request", merchantId: string): Promise<Finding> {
  const findings: Finding[] = await operated.paycastJson("check");
  return findings.find((finding) => finding.check === `${kind} keys of ${merchantId}`)!;
}

/** What Flow shows beside the refused callbacks of a merchant. */
async function flowNote(merchantId: string) {
  const target = operated.target();
  const flow = await readFlow(target);
  const { notes } = flowStages(flow, target.clock.now()).refused;
  const note = notes.find(({ text }) => text.startsWith(`${merchantId}: `));
  return note && { ...note, text: [note.text, note.more].join(" ") };
}

/** The words after `npx paycast` in what somebody is asked to do. */
const commandIn = (text: string | undefined) =>
  /npx paycast (keys restore \S+ --only callback --version \S+)/.exec(text ?? "")![1]!.split(" ");

describe("wrong callback keys: every callback is refused", () => {
  const wrong = () => put(secretsOf("wrong-keys").callbackKeys, makeMerchant().callbackSecret());

  test("every answer names the version that verified before, and one command brings it back", async () => {
    const { callbackKeys } = secretsOf("wrong-keys");
    const { AWSCURRENT: good } = await stagesOf(callbackKeys);
    expect(await callbacks("wrong-keys", 4)).toEqual([200, 200, 200, 200]);
    await isStored("wrong-keys", good!, 4);
    // Twice, so that the good version has no stage any more.
    for (const _mistake of [1, 2]) await wrong();
    const early = await operated.paycast("keys", "check", "wrong-keys");
    expect(early.out).toContain(
      `Version ${good} verified 4 of the last 4 callbacks, and is neither`,
    );
    await pass(keptSeconds + 60);
    expect(await callbacks("wrong-keys", 3)).toEqual([401, 401, 401]);

    const cause = new RegExp(
      `3 callbacks rejected as not authentic, none accepted since \\S+Z\\. 4 callbacks before that were verified by the keys of version ${good}, which is neither current nor previous\\.`,
    );
    const checked = await operated.paycast("keys", "check", "wrong-keys");
    expect(checked.code).toBe(1);
    expect(checked.out).toMatch(cause);
    expect(checked.out).not.toContain("The keys are good.");
    expect(await found("callback", "wrong-keys")).toMatchObject({
      status: "problem",
      message: expect.stringMatching(cause),
    });
    const status = await operated.paycast("status");
    expect(status.out).toMatch(cause);
    const note = await flowNote("wrong-keys");
    expect(note).toMatchObject({ text: expect.stringMatching(cause), isQuiet: false });

    // Two steps: what the answer says, and the same with --yes.
    const command = commandIn(note?.text);
    expect((await operated.paycast(...command)).out).toMatch(
      new RegExp(`^callback +current +${good} .* 4 of the last 4 callbacks$`, "m"),
    );
    const restored = await operated.paycast(...command, "--yes");
    const oldKeys = /Functions may use the old keys until \S+Z\./.exec(restored.out)![0];
    expect(await stagesOf(callbackKeys)).toEqual({ AWSCURRENT: good });
    const soon = await operated.paycast("keys", "check", "wrong-keys");
    expect(soon.out).toContain(`which is current again. ${oldKeys} Check again then.`);
    expect(soon.out).not.toContain("Problem:");

    await pass(keptSeconds + 60);
    expect(await callbacks("wrong-keys", 1)).toEqual([200]);
    await pass(60);
    expect(await found("callback", "wrong-keys")).toMatchObject({
      status: "ok",
      message: expect.stringMatching(
        /The keys were changed at \S+Z, and callbacks have been accepted/,
      ),
    });
    expect(await flowNote("wrong-keys")).toMatchObject({ isQuiet: true });
  });
});

test("somebody forges: every answer says that the keys are right and nothing is to be done", async () => {
  await pass(keptSeconds + 60);
  expect(await callbacks("forged", 2)).toEqual([200, 200]);
  const forged = { profile: { signatureHash: "SHA-512" } };
  expect(await callbacks("forged", 5, forged)).toEqual([401, 401, 401, 401, 401]);
  expect((await flowNote("forged"))?.text).toMatch(/too early to say|functions may use the old/);
  await pass(60);
  expect(await callbacks("forged", 2)).toEqual([200, 200]);
  expect(await callbacks("forged", 1, forged)).toEqual([401]);

  const words =
    /6 callbacks rejected as not authentic in the same time as 4 accepted ones\. .* No action is needed/;
  expect(await found("callback", "forged")).toMatchObject({
    status: "ok",
    message: expect.stringMatching(words),
  });
  const checked = await operated.paycast("keys", "check", "forged");
  expect(checked).toMatchObject({ code: 0, out: expect.stringMatching(words) });
  expect(checked.out).toContain("The keys are good.");
  expect((await operated.paycast("status")).out).toMatch(words);
  expect(await flowNote("forged")).toMatchObject({ isQuiet: true });
  expect((await operated.paycast("requests", "--answer", "401")).out).toMatch(words);
});

test("the service's own callbacks are too old: every answer says that they are not forged, and what to do", async () => {
  const at = operated.target().clock.now();
  const old = { nowMilliseconds: at - 30 * 24 * 3_600_000 };
  expect(await callbacks("late", 2, old)).toEqual([401, 401]);
  await pass(60);
  expect(await callbacks("late", 2)).toEqual([200, 200]);

  const words =
    /2 callbacks rejected .* in the same time as 2 accepted ones\. The service's own key signed some of them\. The timestamp is too old.* \(too-old: 2\)\./;
  expect(await found("callback", "late")).toMatchObject({
    status: "warning",
    message: expect.stringMatching(words),
    action: expect.stringContaining("callbacks.maxAgeHours"),
  });
  const checked = await operated.paycast("keys", "check", "late");
  expect(checked.out).toMatch(words);
  expect(checked.out).toContain("callbacks.maxAgeHours");
  expect(checked.out).not.toContain("The keys are good.");
  expect(await flowNote("late")).toMatchObject({
    text: expect.stringMatching(words),
    isQuiet: false,
  });

  // None is accepted any more: no other key would help.
  await pass(60);
  expect(await callbacks("late", 3, old)).toEqual([401, 401, 401]);
  expect(await found("callback", "late")).toMatchObject({
    status: "problem",
    message: expect.stringMatching(/none accepted since .*\. The service's own key signed/),
    action: expect.stringContaining("callbacks.maxAgeHours"),
  });
});

test("wrong request keys: until when functions use them is one time in every answer", async () => {
  const create = (orderNo: string) =>
    operated.shop().create(orderNo, { merchantId: "wrong-requests" });
  expect((await create("REQUEST-1")).status).toBe(201);
  const file = ["--request-keys", requestFile(), "--unproven", "--yes"];
  const set = await operated.paycast("keys", "set", "wrong-requests", ...file);
  expect(set.out).toMatch(/^Warning: The new request keys are not proven/m);
  expect(set.out).not.toContain("Not now");
  await pass(keptSeconds + 60);
  expect((await create("REQUEST-2")).status).toBe(502);
  expect(await found("request", "wrong-requests")).toMatchObject({
    status: "warning",
    action: expect.stringContaining("keys restore wrong-requests --only request"),
  });

  const restore = ["keys", "restore", "wrong-requests", "--only", "request"];
  const { out } = await operated.paycast(...restore, "--yes");
  const oldKeys = /Functions may use the old keys until \S+Z\./.exec(out)![0];
  const checked = await operated.paycast("keys", "check", "wrong-requests");
  expect(checked.out).toContain(oldKeys);
  expect((await found("request", "wrong-requests")).message).toContain(oldKeys);
  await pass(keptSeconds + 60);
  expect((await create("REQUEST-3")).status).toBe(201);
  expect((await found("request", "wrong-requests")).message).not.toContain("old keys");
});

test("keys-at-risk: the new keys are wrong, hidden by the previous ones: a day later check and the alarm say so", async () => {
  const { callbackKeys } = secretsOf("hidden");
  const { AWSCURRENT: good } = await stagesOf(callbackKeys);
  await put(callbackKeys, makeMerchant().callbackSecret());
  await pass(25 * 3_600);
  expect(await callbacks("hidden", 3)).toEqual([200, 200, 200]);
  await isStored("hidden", good!, 3);
  const words =
    /The current callback keys, made \S+Z, verified none of the last callbacks; the previous ones verified 3 of the last \d+ callbacks\. They verify until \S+Z, and then every callback is rejected\./;
  const finding = await found("callback", "hidden");
  expect(finding).toMatchObject({ status: "warning", message: expect.stringMatching(words) });
  expect(finding.action).toContain("keys set hidden --service-public-key FILE --correct");
  expect((await operated.paycast("keys", "check", "hidden")).out).toMatch(words);
  await pass(300);
  await until("the alarm", async () => {
    const { out } = await operated.paycast("status");
    return /^Alarm \(morning\) keys-at-risk.*only the previous keys/m.test(out) ? true : undefined;
  });

  const restore = /npx paycast (keys restore hidden --only callback)/.exec(finding.action!)![1]!;
  expect((await operated.paycast(...restore.split(" "), "--yes")).code).toBe(0);
  await pass(keptSeconds + 60);
  expect(await callbacks("hidden", 1)).toEqual([200]);
  expect(await found("callback", "hidden")).toMatchObject({ status: "ok" });
});
