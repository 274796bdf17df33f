import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { startAsUser, until } from "./running-stack.ts";
import { openShop } from "./shop.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

test("the README's quickstart works as it stands, and Ctrl-C ends everything", async () => {
  const readme = readFileSync(join(root, "README.md"), "utf8");
  const commands = [...readme.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, command = ""]) =>
    command.trim(),
  );
  const [start = "", tests = "", tail = "", create = "", query = ""] = commands;
  // The suite runs on what `npm ci` has installed; doing it again would pull that away from under it.
  expect([start, tests]).toEqual(["npm ci && npm start", "npm ci && npm test"]);
  const stack = await startAsUser([], { PORT: "3000", PAYCAST_DIRECTORY: ".paycast" });
  const { description } = stack;
  expect(description).toMatchObject({
    api: "http://127.0.0.1:3000",
    gateway: "http://127.0.0.1:3001",
    aws: {
      sqs: "http://127.0.0.1:3003",
      dynamodb: "http://127.0.0.1:3004",
      secretsmanager: "http://127.0.0.1:3005",
    },
  });
  expect(stack.output()).toContain(
    `Storefront API     ${description.api}  (accepts unsigned calls; when deployed, `,
  );
  expect(stack.output()).toContain(`Payment service    ${description.gateway}`);
  const tailing = spawn("sh", ["-c", tail], { cwd: root, detached: true });
  let printed = "";
  for (const stream of [tailing.stdout, tailing.stderr]) {
    stream.on("data", (chunk) => (printed += chunk));
  }
  try {
    // It shows what comes after its start, which a busy machine may delay.
    await until("the second terminal", () =>
      printed.includes("Waiting for events") ? true : undefined,
    );
    const run = promisify(execFile);
    const created = JSON.parse((await run("sh", ["-c", create])).stdout);
    expect(created).toMatchObject({ orderNo: "ORDER-1001", status: "pending" });
    const [, story = ""] = /```text\n([\s\S]*?)```/.exec(readme) ?? [];
    const shownLines = story.trim().replace("…", created.paymentId).split("\n");
    expect(shownLines).toHaveLength(3);
    const shop = openShop(description);
    // The success waits until the line of confirming is there: on a busy machine it could overtake it.
    await shop.control("POST", "/clock", { speed: 0 });
    await shop.act(created.paymentId, "pay");
    await until("the second line", () =>
      stack.output().includes(`  ${shownLines[1]}\n`) ? true : undefined,
    );
    await shop.control("POST", "/clock", { speed: 1 });
    await until("the event in the second terminal", () =>
      printed.includes("payment.order.success") ? true : undefined,
    );
    await until("the story that the README shows", () =>
      shownLines.every((line) => stack.output().includes(`  ${line}\n`)) ? true : undefined,
    );
    const order = JSON.parse((await run("sh", ["-c", query])).stdout);
    expect(order).toMatchObject({ orderNo: "ORDER-1001", status: "success" });
  } finally {
    const exited = once(tailing, "exit");
    if (tailing.pid !== undefined) process.kill(-tailing.pid, "SIGTERM");
    await exited;
    await stack.stop();
  }
  // The emulator of DynamoDB is a process of its own. If stopping took too long, it ends a moment after the others.
  for (const address of [description.api, description.gateway, description.aws.dynamodb]) {
    const answer = async () => await fetch(address).then(() => "an answer", String);
    await expect.poll(answer).toBe("TypeError: fetch failed");
  }
});
