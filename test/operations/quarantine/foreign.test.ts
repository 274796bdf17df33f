import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { expect, test } from "vitest";
import { openQueue } from "../../../operations/dead-letters/message-queue.ts";
import { planQuarantineRedrive } from "../../../operations/quarantine/plan-redrive.ts";
import { redriveQuarantine } from "../../../operations/quarantine/redrive-quarantine.ts";
import { until } from "../../end-to-end/running-stack.ts";
import { useOperatedStack } from "../operated-stack.ts";
import { callback } from "./put-aside.ts";
import { useQuarantineDesk } from "./quarantine-desk.ts";

const operated = useOperatedStack();
const { paycast, paycastJson } = operated;
const { toDeadLetters, letterCount, putFixed, published, stored } = useQuarantineDesk(operated);

const foreignLetters = async () => {
  const queue = openQueue(operated.target(), operated.target().inbox.deadLettersUrl);
  const letters = await queue.receive();
  await queue.giveBack(letters);
  return letters.map(({ messageId }) => messageId);
};
const foreignId = async () => {
  const { items } = await paycastJson("quarantine", "list");
  return items.find(({ kind }: { kind: string }) => kind === "foreign").id;
};
const lastAudit = () => {
  const lines = readFileSync(join(operated.directory, "audit.log"), "utf8").trim().split("\n");
  return JSON.parse(lines.at(-1)!);
};

test("a redrive of everything ends, and sends nothing that is foreign", async () => {
  const { MessageId } = await toDeadLetters({ body: "hello", group: "a" });
  const fixed = callback();
  await putFixed(fixed);
  const { code, out } = await paycast("quarantine", "redrive", "--all", "--yes");
  expect(code).toBe(0);
  expect(out).toContain("1 message sent to the inbox.\n");
  expect(out).toContain("Left out: 1 message that Paycast did not write and can never process.");
  expect(out).toContain(`npx paycast quarantine discard ${await foreignId()}\n`);
  expect(await foreignLetters()).toEqual([MessageId]);
  await published(fixed);
  expect(lastAudit()).toMatchObject({ selection: "all", count: 1, ids: [expect.any(String)] });
});

test("of foreign messages alone there is nothing to redrive, also by their reason", async () => {
  const id = await foreignIdAfterProcessing();
  const reason = "inbox-message-unreadable";
  const { code, out } = await paycast("quarantine", "redrive", "--reason", reason, "--yes");
  expect(code).toBe(1);
  expect(out).toContain("There is nothing to redrive.\nLeft out: 1 message");
  expect(out).toContain(id);
});

/** A foreign message that process-callback has put back with a reason. */
async function foreignIdAfterProcessing(): Promise<string> {
  await toDeadLetters({ body: "hello again", group: "a" });
  const before = await foreignId();
  await paycast("quarantine", "redrive", before, "--wait", "0", "--yes");
  await until("it comes back", async () =>
    (await letterCount()).visible === 1 ? true : undefined,
  );
  return before;
}

test("a foreign message that is named by its id is sent once, and keeps its id", async () => {
  const { MessageId } = await toDeadLetters({ body: "hello", group: "a" });
  await toDeadLetters({ body: "hello", group: "b" });
  const id = await foreignId();
  expect(await paycastJson("quarantine", "redrive", id, "--yes")).toMatchObject({ sent: 1 });
  await until("it comes back", async () =>
    (await letterCount()).visible === 2 ? true : undefined,
  );
  expect(await foreignId()).toBe(id);
  expect(await foreignLetters()).not.toContain(MessageId);
});

test("a letter that comes after the redrive began stays for the next one", async () => {
  const [early, late] = [callback(), callback()];
  await putFixed(early);
  const plan = await planQuarantineRedrive(operated.target(), { filter: {} });
  const audit = async () => {
    await pause(5);
    await putFixed(late);
  };
  const redriven = await redriveQuarantine({ ...operated.target(), audit }, plan);
  expect(redriven).toMatchObject({ newLetters: 1, end: "empty", sent: [{}] });
  expect(await stored(late)).toMatchObject([{ outcome: "quarantined" }]);
  expect(await letterCount()).toEqual({ visible: 1, held: 0 });
  await published(early);
  await paycast("quarantine", "redrive", "--reason", "result-unreadable", "--yes");
  expect(lastAudit()).toMatchObject({ selection: "reason", reason: "result-unreadable", count: 1 });
  await published(late);
});
