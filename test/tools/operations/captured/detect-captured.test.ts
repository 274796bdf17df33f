import { randomUUID } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CreateQueueCommand, ReceiveMessageCommand, SendMessageCommand } from "@aws-sdk/client-sqs";
import { expect, test } from "vitest";
import { readCaptured } from "../../../../tools/operations/captured/read-captured.ts";
import { findTarget } from "../../../../tools/operations/find-target.ts";
import type { Queues } from "../../../../tools/operations/ports/queues.ts";
import { writtenFile } from "../../cli/run-paycast.ts";
import { aesKey, merchantId, pem, sealed, service, stranger } from "../../cli/seal-capture.ts";
import { keySetup } from "../keys/key-setup.ts";
import { useTarget } from "../use-target.ts";

const operated = useTarget();
const setup = keySetup(operated);
const noon = Date.UTC(2026, 10, 15, 12);

/** The stack as if its config kept refused callbacks, with a queue of its own for each test. */
async function captureQueue(): Promise<string> {
  const { sqs } = operated.clients();
  const { QueueUrl } = await sqs.send(
    new CreateQueueCommand({ QueueName: `captured-${randomUUID()}` }),
  );
  const path = join(operated.directory, "local.json");
  const description = JSON.parse(readFileSync(path, "utf8"));
  description.queues.captured = QueueUrl;
  description.merchants = description.merchants.filter(
    (merchant: { merchantId: string }) => merchant.merchantId !== merchantId,
  );
  writeFileSync(path, JSON.stringify(description));
  const { callbackKeys } = await setup.newMerchant(merchantId);
  await setup.put(
    callbackKeys,
    JSON.stringify({ aesKey, servicePublicKey: pem(service.publicKey) }),
  );
  return QueueUrl!;
}

async function capture(QueueUrl: string, body: unknown, fields: object = {}): Promise<void> {
  const common = {
    version: 1,
    merchantId,
    reason: "wrong-signature",
    receivedAtMilliseconds: noon,
  };
  const message = {
    ...common,
    body: typeof body === "string" ? body : JSON.stringify(body),
    ...fields,
  };
  await operated
    .clients()
    .sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: JSON.stringify(message) }));
}

const detect = (...args: string[]) => operated.paycast("detect-profile", "--captured", ...args);

test("each envelope names the group of its sender", async () => {
  const clients = operated.clients();
  const Attributes = { FifoQueue: "true" };
  const QueueName = `captured-${randomUUID()}.fifo`;
  const { QueueUrl } = await clients.sqs.send(new CreateQueueCommand({ QueueName, Attributes }));
  for (const sender of ["one", "other"]) {
    const fields = { version: 1, merchantId, reason: "too-old", receivedAtMilliseconds: noon };
    const MessageBody = JSON.stringify({ ...fields, body: "{}" });
    const ids = { MessageGroupId: sender, MessageDeduplicationId: sender };
    await clients.sqs.send(new SendMessageCommand({ QueueUrl, MessageBody, ...ids }));
  }
  const { queues } = operated.target();
  const target = { queues: { ...queues, captured: { url: QueueUrl! } } };
  const { envelopes } = await readCaptured(target, new AbortController().signal);
  expect(envelopes.map(({ sender }) => sender).sort()).toEqual(["one", "other"]);
});

test("without a capture queue the message names the field of the config", async () => {
  const { code, err } = await detect();
  expect({ code, err }).toEqual({
    code: 2,
    err: expect.stringContaining('"callbacks.captureUntil"'),
  });
});

test("an empty queue says that nothing was captured yet", async () => {
  await captureQueue();
  const { code, out } = await detect();
  expect({ code, out }).toEqual({
    code: 1,
    out: expect.stringContaining("No rejected callback has been captured yet."),
  });
});

test("the profile of a refused callback is found with the keys of the secret, and the printed command stores it", async () => {
  const queue = await captureQueue();
  const profile = { signatureHash: "SHA-512", bodyEncoding: "hex" } as const;
  await capture(queue, sealed({ profile }));
  const { code, out } = await detect();
  expect(code).toBe(0);
  expect(out).toMatch(
    new RegExp(`${merchantId}  wrong-signature  2026-11-15T12:00:00Z  1 of 1 +a profile fits`),
  );
  expect(out).toContain("Tried 1 of 1");
  for (const secret of [aesKey, "SO-77-private"]) expect(out).not.toContain(secret);

  const [, json, words] = /Store it: echo '(.*)' > profile\.json && npx paycast (.*)$/m.exec(out)!;
  const typed = words!.replace("profile.json", writtenFile(json!)).split(" ");
  expect(await operated.paycast(...typed, "--yes")).toMatchObject({ code: 0 });
  expect((await detect()).out).toContain("the stored profile fits");

  const { sqs } = operated.clients();
  const { Messages } = await sqs.send(new ReceiveMessageCommand({ QueueUrl: queue }));
  expect(Messages).toHaveLength(1);
});

test("each merchant and reason has rows of its own, and messages that have none are counted", async () => {
  const queue = await captureQueue();
  const real = sealed({ profile: { signatureHash: "SHA-1" } });
  await capture(queue, real, { receivedAtMilliseconds: noon - 1_000 });
  await capture(queue, sealed({ privateKey: stranger.privateKey }));
  await capture(queue, "not JSON", { reason: "not-json" });
  await capture(queue, real, { merchantId: "somebody else" });
  await capture(queue, real, { version: 2 });
  // What receive-callback sends for strangers: it is no envelope, and no foreign message either.
  await capture(queue, "  ", { merchantId: "" });
  const { merchantId: other, callbackKeys } = await setup.newMerchant();
  const keys = { aesKey, servicePublicKey: pem(stranger.publicKey) };
  await setup.put(callbackKeys, JSON.stringify(keys));
  await capture(queue, real, { merchantId: other });
  const { rows, ...counts } = await operated.paycastJson("detect-profile", "--captured");
  expect(counts).toEqual({
    found: true,
    captured: 4,
    tried: 4,
    others: 1,
    unreadable: 1,
    notReturned: 0,
    isWhole: true,
  });
  const shown = rows.map((row: Record<string, unknown>) =>
    [row["merchantId"], row["rejectedFor"], row["code"], row["callbacks"], row["captured"]].join(),
  );
  expect(shown.sort()).toEqual(
    [
      `${merchantId},wrong-signature,fits,1,2`,
      `${merchantId},wrong-signature,undecided,1,2`,
      `${merchantId},not-json,not-an-envelope,1,1`,
      `${other},wrong-signature,wrong-rsa-key,1,1`,
    ].sort(),
  );
});

test("where no profile fits, the exit code is 1, and no text of a message drives the terminal", async () => {
  const queue = await captureQueue();
  await capture(queue, sealed({ privateKey: stranger.privateKey }), { reason: "wrong\u001b[2J" });
  const { code, out } = await detect("--merchant", merchantId);
  expect(out).toContain("the RSA key did not make the signature");
  expect(out).not.toContain("\u001b");
  expect(code).toBe(1);
});

test("keys from files are used in place of those of the secret", async () => {
  const queue = await captureQueue();
  await capture(queue, sealed({ privateKey: stranger.privateKey }));
  const files = [
    "--aes-key",
    writtenFile(aesKey),
    "--public-key",
    writtenFile(pem(stranger.publicKey)),
  ];
  const { code, out } = await detect(...files);
  expect(code).toBe(0);
  expect(out).toContain(` --aes-key ${files[1]} --service-public-key ${files[3]}\n`);
});

test("keys that are not set are named, with what to do", async () => {
  const queue = await captureQueue();
  const { merchantId: fresh } = await setup.newMerchant();
  await capture(queue, sealed(), { merchantId: fresh });
  expect(await detect()).toMatchObject({
    code: 2,
    err: expect.stringContaining("--aes-key FILE and --public-key FILE"),
  });
  // With another merchant they are not needed.
  expect(await detect("--merchant", merchantId)).toMatchObject({ code: 1, err: "" });
});

test.each([
  [["--callback", "file"], "Give a file, or --captured"],
  [["--merchant", "nobody"], "The stack has no such merchant."],
])("--captured with %j is wrong usage", async (args, message) => {
  expect(await detect(...args)).toMatchObject({ code: 2, err: expect.stringContaining(message) });
});

test("what cannot be returned is reported", async () => {
  const queue = await captureQueue();
  await capture(queue, "x");
  const { queues } = await findTarget({ directory: operated.directory });
  const open: Queues["open"] = (...which) => ({
    ...queues.open(...which),
    giveBack: async (messages) => messages.length,
  });
  const read = await readCaptured({ queues: { ...queues, open } }, new AbortController().signal);
  expect(read).toMatchObject({ envelopes: [{ body: "x" }], isWhole: true, notReturned: 1 });
});

test("a long queue is read up to a limit, all of it is returned, and Ctrl-C ends the reading", async () => {
  const queue = await captureQueue();
  for (let count = 0; count < 25; count++)
    await capture(queue, "x", { receivedAtMilliseconds: count });
  const target = await findTarget({ directory: operated.directory });
  const never = new AbortController().signal;
  const some = await readCaptured(target, never, 20);
  expect(some.envelopes.length).toBeLessThan(25);
  expect(some.isWhole).toBe(false);
  expect((await readCaptured(target, AbortSignal.abort())).isWhole).toBe(false);
  const all = await readCaptured(target, never);
  expect(all.isWhole).toBe(true);
  expect(all.envelopes.map(({ receivedAtMilliseconds }) => receivedAtMilliseconds)).toEqual(
    Array.from({ length: 25 }, (_item, index) => 24 - index),
  );
});
