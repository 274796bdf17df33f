import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../setup/temporary-folder.ts";

/** The script of the guide for a team's CI, as it stands, but on free ports and with a folder of its own. */
test("a team's CI starts the local stack, triggers an event and receives it, and nothing is left running", () => {
  const folder = temporaryFolder("guide");
  const guide = readFileSync("docs/subscribing.md", "utf8");
  const [, script = ""] = /```sh\n(node tools\/local\/start\.mjs &[\s\S]*?)```/.exec(guide) ?? [];
  const receive = `
const { SQSClient, ReceiveMessageCommand } = require("@aws-sdk/client-sqs");
const QueueUrl = process.env.SUBSCRIBER_FULFILMENT_QUEUE_URL;
const receive = new ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds: 20, MaxNumberOfMessages: 10 });
const sqs = new SQSClient({});
const takeTwo = async (count) => {
  const { Messages = [] } = await sqs.send(receive);
  for (const { Body } of Messages) console.log("RECEIVED " + Body);
  if (count + Messages.length < 2) await takeTwo(count + Messages.length);
};
takeTwo(0);
`;
  const env = { ...process.env, PORT: "0", PAYCAST_DIRECTORY: folder, RECEIVE: receive };
  const inFolder = script.replaceAll(".paycast/", `${folder}/`);
  const whole = `set -e\n${inFolder}\nnode -e "$RECEIVE"\n`;
  const options = { env, encoding: "utf8", timeout: 170_000, stdio: "pipe" } as const;
  const output = execFileSync("bash", ["-c", whole], options);
  const received = [...output.matchAll(/^RECEIVED (.*)$/gm)].map(([, body = ""]) =>
    JSON.parse(body),
  );
  // In either order: the events of an order and those of its payment do not wait for each other.
  expect(received.map(({ type, subject }) => [type, subject]).sort()).toEqual([
    ["payment.order.success", "ORDER-77"],
    ["payment.refund.success", "ORDER-77"],
  ]);
  expect(existsSync(join(folder, "local.json"))).toBe(false);
});
