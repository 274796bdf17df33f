import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { orderResult } from "../builders/callback.ts";
import { makeMerchant } from "../builders/merchant.ts";
import { until } from "../end-to-end/running-stack.ts";
import { keySetup } from "../tools/operations/keys/key-setup.ts";
import { useOperatedStack } from "../tools/operations/operated-stack.ts";
import { spawnPaycast } from "../tools/operations/spawn-paycast.ts";
import { createCallbackSender } from "./causes.ts";
import { commandsOf } from "./runbook.ts";
import { useOperator } from "./walk.ts";

const day = 24 * 3_600_000;
const operated = useOperatedStack({
  merchants: ["wrong-keys", "other-profile", "broken-keys", "leaked-keys", "no-files", "no-keys"],
  callbacks: { captureUntil: new Date(Date.now() + day).toISOString() },
  smoke: true,
});
const { type } = useOperator(operated);
const { put, stagesOf, revokedOf } = keySetup(operated);
const folder = mkdtempSync(join(tmpdir(), "paycast-key-files-"));
afterAll(() => rmSync(folder, { recursive: true }));

const secretOf = (merchantId: string) =>
  operated.target().stack.merchants.find((merchant) => merchant.merchantId === merchantId)!
    .callbackKeys;

/** Both versions, before the first callback comes: no instance has seen good keys. */
beforeAll(async () => {
  for (const _version of ["previous", "current"]) {
    await put(secretOf("wrong-keys"), makeMerchant().callbackSecret());
    await put(secretOf("no-keys"), "{}");
  }
});

function written(merchantId: string, name: string, content: string): string {
  const path = join(folder, `${merchantId}-${name}`);
  writeFileSync(path, content);
  return path;
}

/** The operator's words, with the keys of the service in files. */
function wordsOf(MERCHANT: string) {
  const read = (name: string) =>
    JSON.parse(readFileSync(join(operated.directory, "simulator", MERCHANT, name), "utf8"));
  const { aesKey, servicePublicKey } = read("callback-keys.json");
  const { merchantPrivateKey } = read("request-keys.json");
  return {
    MERCHANT,
    "aes.txt": written(MERCHANT, "aes.txt", aesKey),
    "service.pem": written(MERCHANT, "service.pem", servicePublicKey),
    "merchant.pem": written(MERCHANT, "merchant.pem", merchantPrivateKey),
  };
}

/** An order of which the service tells with one callback. */
async function expiredOrder(merchantId: string, orderNo: string): Promise<string> {
  const callbackUrl = `${operated.stack().description.api}/callbacks`;
  const { control, act } = operated.shop();
  const { paymentId } = await control("POST", "/orders", { merchantId, orderNo, callbackUrl });
  await act(paymentId, "expire");
  return paymentId;
}

/** The service sends its callback again until it is accepted, as its schedule does in days. */
async function untilAccepted(paymentId: string): Promise<void> {
  const { control } = operated.shop();
  await until("the callback to be accepted", async () => {
    const { callbacks } = await control("GET", `/orders/${paymentId}`);
    if (callbacks[0].state === "delivered") return true;
    await control("POST", `/callbacks/${callbacks[0].id}/send-again`);
    await pause(1_000);
    return undefined;
  });
}

const statusesOf = async (paymentId: string): Promise<readonly number[]> => {
  const { callbacks } = await operated.shop().control("GET", `/orders/${paymentId}`);
  return callbacks[0].attempts.map(({ httpStatus }: { httpStatus: number }) => httpStatus);
};

describe.concurrent("with one merchant each", () => {
  test("callbacks-refused: captured callbacks show that the keys are wrong, and new ones end it", async () => {
    const words = wordsOf("wrong-keys");
    const [check, requests] = commandsOf("callbacks-refused", "look");
    const [, , withSecret, withFiles] = commandsOf("callbacks-refused", "do");
    const [set] = commandsOf("keys", "do");
    const [tail] = commandsOf("callbacks-refused", "over");
    const paymentId = await expiredOrder("wrong-keys", "REFUSED");
    await until("401", async () =>
      (await statusesOf(paymentId)).includes(401) ? true : undefined,
    );
    const checked = await type(check, words);
    expect(checked.out).toMatch(
      /callback keys, current: valid, tried[\s\S]*last used +by none of the last callbacks/,
    );
    expect((await type(requests)).out).toMatch(/POST \/callbacks +401 refused +\S+ +wrong-keys/);
    // The section of the alarm that wakes begins with the same commands.
    expect(commandsOf("callbacks-all-refused", "look")).toEqual([check, requests]);
    await until("the captured callback", async () =>
      /^wrong-keys .* the AES key does not decrypt the body/m.test(
        (await type(withSecret, words)).out,
      )
        ? true
        : undefined,
    );
    expect(await type(withFiles, words)).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^wrong-keys .* the default profile fits {2}Store it: /m),
    });

    expect(await type(set, words)).toMatchObject({ code: 0 });
    await untilAccepted(paymentId);
    const [, , ...args] = tail!.split(" ");
    const { child, ended } = spawnPaycast(operated.directory, ...args);
    child.stdout!.on("data", (text) => String(text).includes("REFUSED") && child.kill("SIGINT"));
    expect(String((await ended).out)).toMatch(/payment\.order\.timeout +REFUSED/);
  });

  test("callbacks-refused: captured callbacks show the profile, and storing it ends it", async () => {
    const send = createCallbackSender(operated, "other-profile");
    const [, , withSecret, , set] = commandsOf("callbacks-refused", "do");
    const words = wordsOf("other-profile");
    const profile = { signatureHash: "SHA-512" } as const;
    const result = orderResult({ merchantId: "other-profile", referOrderNo: "SHA" });
    const found = await until("the captured callback", async () => {
      expect(await send(result, { profile })).toBe(401);
      const detected = await type(withSecret, words);
      return /Store it: echo '(.*)' > profile\.json/.exec(detected.out)?.[1];
    });
    expect(JSON.parse(found)).toEqual(profile);

    const file = written("other-profile", "profile.json", found);
    expect(await type(set, { ...words, "profile.json": file })).toMatchObject({ code: 0 });
    await until("200", async () => {
      if ((await send(result, { profile })) === 200) return true;
      await pause(1_000);
      return undefined;
    });
  });

  test("keys: the broken version is shown and replaced, and the last good one stays the previous", async () => {
    const words = wordsOf("broken-keys");
    const secret = secretOf("broken-keys");
    const [check] = commandsOf("keys", "look");
    const [set] = commandsOf("keys", "do");
    const { AWSCURRENT: good } = await stagesOf(secret);
    const broken = await put(secret, '{ "aesKey": "c2hvcnQ=" }');
    await untilAccepted(await expiredOrder("broken-keys", "MEANWHILE"));
    const checked = await type(check);
    expect(checked.code).toBe(1);
    expect(checked.out).toMatch(new RegExp(`current: not valid\n +version +${broken}`));

    expect(await type(set, words)).toMatchObject({ code: 0 });
    const stages = await stagesOf(secret);
    expect(stages).toMatchObject({ AWSPREVIOUS: good });
    expect([good, broken]).not.toContain(stages["AWSCURRENT"]);
  });

  test("keys: leaked ones are removed, so that they do not verify as the previous ones", async () => {
    const secret = secretOf("leaked-keys");
    const [, , , revoke] = commandsOf("keys", "do");
    const leaked = await put(secret, makeMerchant().callbackSecret());
    expect(await type(revoke, wordsOf("leaked-keys"))).toMatchObject({ code: 0 });
    expect(Object.values(await stagesOf(secret))).not.toContain(leaked);
    expect(await revokedOf(secret)).toEqual([leaked]);
    await untilAccepted(await expiredOrder("leaked-keys", "REPLACED"));
  });

  test("keys: without files the version of before becomes current again", async () => {
    const words = { MERCHANT: "no-files" };
    const secret = secretOf("no-files");
    const [, restore] = commandsOf("keys", "do");
    const { AWSCURRENT: good } = await stagesOf(secret);
    await put(secret, '{ "aesKey": "c2hvcnQ=" }');
    expect(await type(restore, words)).toMatchObject({ code: 0 });
    expect(await stagesOf(secret)).toEqual({ AWSCURRENT: good });
    await untilAccepted(await expiredOrder("no-files", "BEFORE"));
  });

  test("callbacks-failing: check names the keys, and once they are set the callback is stored", async () => {
    const words = wordsOf("no-keys");
    const [check, requests] = commandsOf("callbacks-failing", "look");
    const [set] = commandsOf("callbacks-failing", "do");
    const smoke = commandsOf("callbacks-failing", "over").find((command) =>
      command.includes("smoke"),
    );
    const paymentId = await expiredOrder("no-keys", "NOT-STORED");
    await until("503", async () =>
      (await statusesOf(paymentId)).includes(503) ? true : undefined,
    );
    expect((await type(check)).out).toMatch(/^problem +callback keys of no-keys /m);
    expect((await type(requests)).out).toMatch(/POST \/callbacks +503 failed +\S+ +no-keys/);

    expect(await type(set, words)).toMatchObject({ code: 0 });
    await untilAccepted(paymentId);
    expect(await type(smoke)).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^result +passed/),
    });
  });
});

test("in the end keys check finds nothing wrong, and neither does check", async () => {
  // What failed is red for ten minutes.
  await operated.shop().step(11 * 60);
  const [over] = commandsOf("keys", "over");
  expect(await type(over)).toMatchObject({ code: 0 });
  const [check] = commandsOf("callbacks-failing", "look");
  expect((await type(check)).out).toMatch(/^Problems: 0\./m);
});
