import { describe, expect, test } from "vitest";
import { lookAtDeadLetters } from "../../../../tools/operations/dead-letters/list-dead-letters.ts";
import {
  planRedrive,
  redriveDeadLetters,
} from "../../../../tools/operations/dead-letters/redrive-dead-letters.ts";
import { to } from "../../../integration/fault-proxy.ts";
import { runHere } from "../../cli/run-paycast.ts";
import { faultyTarget } from "../faulty-target.ts";
import { spawnPaycast } from "../spawn-paycast.ts";
import { withoutAudit } from "../test-target.ts";
import { useTarget } from "../use-target.ts";
import { useSubscriberSetup } from "./subscriber-setup.ts";

const operated = useTarget();
const { paycast, paycastJson } = operated;
const { bury, buryEvent, buryText, eventOf, letterCount, received } = useSubscriberSetup(operated);

describe("list", () => {
  test("of no dead letters says so and exits with 0", async () => {
    const { code, out } = await paycast("dead-letters", "list", "fulfilment");
    expect({ code, out }).toEqual({ code: 0, out: "No dead letters of fulfilment.\n" });
  });

  test.each(["fulfilment", "analytics"])("takes nothing away from %s", async (name) => {
    for (let index = 0; index < 12; index += 1) await bury(`A-${index}`, name);
    const first = await paycastJson("dead-letters", "list", name);
    expect(first.letters).toHaveLength(12);
    expect(first.letters[0]).toMatchObject({
      type: "payment.order.success",
      subject: expect.stringMatching(/^A-/),
      sequence: "0000000007",
      receiveCount: 1,
    });
    expect(await letterCount(name)).toEqual({ visible: 12, held: 0 });
    const second = await paycast("dead-letters", "list", name);
    expect(second.code).toBe(0);
    expect(second.out).toContain("Reading counts as a receive of each message");
    // The number of the event, without the zeros that it has on the wire.
    expect(second.out.match(/ A-\d+ +7 +\d{4}-\S+ .* -$/gm)).toHaveLength(12);
    const [counted] = (await paycastJson("dead-letters", "list", name)).letters;
    expect(counted.receiveCount).toBe(3);
  });

  test("tells how many hide behind another event of the same order", async () => {
    // SQS shows at most ten of a group at once.
    for (let index = 0; index < 12; index += 1) await bury("A", "fulfilment", "one-group");
    const { letters, total } = await paycastJson("dead-letters", "list", "fulfilment");
    expect({ seen: letters.length, total }).toEqual({ seen: 10, total: 12 });
    const { out } = await paycast("dead-letters", "list", "fulfilment");
    expect(out).toContain("About 2 more were not visible");
  });

  test("shows hostile text without obeying it, and what is no event at all", async () => {
    await bury("\u001b[2J\u202e注文");
    await buryText("no event", "fulfilment", "x");
    const { out } = await paycast("dead-letters", "list", "fulfilment");
    expect(out).toContain("注文");
    for (const control of "\u001b\u202e") expect(out).not.toContain(control);
    const { letters } = await paycastJson("dead-letters", "list", "fulfilment");
    expect(letters).toHaveLength(2);
  });

  test("gives everything back, also when it fails", async () => {
    for (let index = 0; index < 15; index += 1) await bury("A");
    const { target, proxy } = await faultyTarget(operated);
    const denied = { status: 403, type: "com.amazonaws.sqs#AccessDenied" };
    proxy.fail(to("sqs", "ReceiveMessage"), { kind: "refuse", error: denied }, { skip: 1 });
    await expect(lookAtDeadLetters(target, "fulfilment")).rejects.toMatchObject({
      name: "AccessDenied",
    });
    expect(await letterCount()).toEqual({ visible: 15, held: 0 });
  });

  test("gives everything back, also when it is interrupted", async () => {
    for (let index = 0; index < 15; index += 1) await bury("A");
    const stop = new AbortController();
    const onlyFirst = { stopped: stop.signal, onProgress: () => stop.abort() };
    const { list } = await lookAtDeadLetters(operated.target(), "fulfilment", onlyFirst);
    expect(list).toMatchObject({ stopped: true, letters: { length: 10 }, total: 15 });
    const interrupted = new AbortController();
    const { code, out } = await runHere(["dead-letters", "list", "fulfilment"], {
      // The first progress is reported when some messages are held.
      err: () => interrupted.abort(),
      errIsTty: true,
      stopped: interrupted.signal,
    });
    expect(code).toBe(1);
    expect(out).toContain("Stopped before all messages were read.\n");
    expect(await letterCount()).toEqual({ visible: 15, held: 0 });
  });
});

test("show has the event as it was published", async () => {
  const messageId = await bury("SHOWN");
  const { code, out } = await paycast("dead-letters", "show", "fulfilment", messageId.slice(0, 8));
  expect(code).toBe(0);
  expect(out).toContain('\n  "subject": "SHOWN",\n');
  expect(out).toMatch(/^attribute type +payment.order.success$/m);
});

test.each([
  [
    ["list", "nobody"],
    "The stack has no subscriber of that name. It has: fulfilment, order-history",
  ],
  [["show", "fulfilment", "abcd"], "Nothing was found with the id abcd."],
  [[], "Choose an operation: list, show, redrive."],
  [["list"], "Give SUBSCRIBER|inbox."],
])("dead-letters %j has nothing to work on", async (args, message) => {
  const { code, err } = await paycast("dead-letters", ...args);
  expect(code).toBe(2);
  expect(err).toContain(message);
});

describe("redrive", () => {
  test("without --yes only says what it would do", async () => {
    for (let index = 0; index < 7; index += 1) await bury(`P-${index}`);
    const { code, out } = await paycast("dead-letters", "redrive", "fulfilment", "--all");
    expect(code).toBe(0);
    expect(out).toContain(
      "7 messages would be sent to the queue of fulfilment again. Foreign messages stay.\n",
    );
    expect(out).toContain("And 2 more.\n");
    expect(out).toContain("Nothing was changed.");
    expect(await letterCount()).toEqual({ visible: 7, held: 0 });
  });

  test.each(["fulfilment", "analytics"])(
    "sends the same bytes and attributes to %s, in order if the queue has one",
    async (name) => {
      for (const subject of ["A", "B", "C"]) await bury(subject, name, "one-group");
      const once = await paycast("dead-letters", "redrive", name, "--all", "--yes");
      expect(once).toMatchObject({
        code: 0,
        out: `3 messages sent to the queue of ${name} again.\n`,
      });
      const messages = await received(name);
      const subjects = messages.map(({ Body }) => JSON.parse(Body!).subject);
      // Without groups, events are sent at the same time, and any of them may arrive first.
      const arrived = name === "fulfilment" ? subjects : subjects.toSorted();
      expect(arrived).toEqual(["A", "B", "C"]);
      expect(messages[0]!.MessageAttributes).toMatchObject({
        type: { StringValue: "payment.order.success" },
        mark: { DataType: "Binary", BinaryValue: new Uint8Array([0, 255]) },
      });
      if (name === "fulfilment") {
        expect(messages[0]!.Attributes).toMatchObject({ MessageGroupId: "one-group" });
      }
      expect(await letterCount(name)).toEqual({ visible: 0, held: 0 });
    },
  );

  test("of some ids leaves the rest, and writes who did it before", async () => {
    const [chosen] = [await bury("CHOSEN"), await bury("OTHER")];
    const { code } = await paycast("dead-letters", "redrive", "fulfilment", chosen!, "--yes");
    expect(code).toBe(0);
    expect((await received()).map(({ Body }) => JSON.parse(Body!).subject)).toEqual(["CHOSEN"]);
    expect(await letterCount()).toEqual({ visible: 1, held: 0 });
    expect(JSON.parse(operated.auditLines().at(-1)!)).toMatchObject({
      act: "dead-letters-redrive",
      queue: "fulfilment",
      count: 1,
      messageIds: [chosen],
    });
  });

  test("sends nothing if the audit line cannot be written", async () => {
    await bury("UNAUDITED");
    const target = withoutAudit(operated.target(), "The disk is full.");
    const plan = await planRedrive(target, "fulfilment", undefined);
    await expect(redriveDeadLetters(target, plan)).rejects.toThrow("The disk is full.");
    expect(await letterCount()).toEqual({ visible: 1, held: 0 });
    expect(await received()).toEqual([]);
  });

  test("of nothing says so, and the answer is no", async () => {
    const { code, out } = await paycast("dead-letters", "redrive", "fulfilment", "--all", "--yes");
    expect({ code, out }).toEqual({ code: 1, out: "No dead letters of fulfilment.\n" });
  });

  test("sends an event once in a run, even if its consumer fails at once", async () => {
    const poison = eventOf("POISON", "poison");
    for (let copies = 0; copies < 3; copies += 1) await buryEvent(poison, "fulfilment", "poison");
    const target = operated.target();
    const plan = await planRedrive(target, "fulfilment", undefined);
    const redriven = await redriveDeadLetters(target, plan);
    expect(redriven).toMatchObject({ moved: 1, cameBack: 2, end: "empty" });
    expect(await received()).toHaveLength(1);
    expect(await letterCount()).toEqual({ visible: 2, held: 0 });
  });

  test("a send that fails deletes nothing, and says what was done before", async () => {
    for (let index = 0; index < 3; index += 1) await bury("A", "fulfilment", "one-group");
    const { proxy, directory } = await faultyTarget(operated);
    const denied = { status: 403, type: "com.amazonaws.sqs#AccessDenied" };
    proxy.fail(to("sqs", "SendMessage"), { kind: "refuse", error: denied }, { skip: 1 });
    const run = await spawnPaycast(
      directory,
      "dead-letters",
      "redrive",
      "fulfilment",
      "--all",
      "--yes",
    ).ended;
    expect(run.code).toBe(4);
    expect(run.err).toContain("1 message sent to the queue of fulfilment again. Then it failed: ");
    expect(await letterCount()).toEqual({ visible: 2, held: 0 });
    expect(await received()).toHaveLength(1);
  });

  test("killed between send and delete, the event is delivered and its dead letter stays", async () => {
    await bury("KILLED");
    let kill = () => {};
    const { directory, proxy } = await faultyTarget(operated, () => kill());
    proxy.fail(to("sqs", "DeleteMessage"), { kind: "die-before" });
    const { child, ended } = spawnPaycast(
      directory,
      "dead-letters",
      "redrive",
      "fulfilment",
      "--all",
      "--yes",
    );
    kill = () => void child.kill("SIGKILL");
    expect((await ended).code).toBeNull();
    expect(await received()).toHaveLength(1);
    expect(await letterCount()).toEqual({ visible: 0, held: 1 });
    const again = await paycast("dead-letters", "redrive", "fulfilment", "--all", "--yes");
    expect(again.code).toBe(1);
    expect(again.out).toContain("1 were not reached: another reader holds them");
  });

  test("an answer that is lost is sent again, and arrives once", async () => {
    await bury("LOST-ANSWER");
    const { target, proxy } = await faultyTarget(operated);
    proxy.fail(to("sqs", "SendMessage"), { kind: "lose-answer" }, { times: 1 });
    const plan = await planRedrive(target, "fulfilment", undefined);
    expect(await redriveDeadLetters(target, plan)).toMatchObject({ moved: 1, end: "empty" });
    expect(await received()).toHaveLength(1);
  });

  test("two operators at once: each event is sent once, by the one who received it", async () => {
    for (let index = 0; index < 40; index += 1) await bury(`T-${index}`);
    const target = operated.target();
    const plan = await planRedrive(target, "fulfilment", undefined);
    const runs = await Promise.all([1, 2].map(() => redriveDeadLetters(target, plan)));
    expect(runs.reduce((sum, { moved }) => sum + moved, 0)).toBe(40);
    const subjects = (await received()).map(({ Body }) => JSON.parse(Body!).subject);
    expect(new Set(subjects).size).toBe(40);
    expect(subjects).toHaveLength(40);
    expect(await letterCount()).toEqual({ visible: 0, held: 0 });
  });
});
