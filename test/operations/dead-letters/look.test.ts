import { describe, expect, test } from "vitest";
import { main } from "../../../cli/main.ts";
import { lookAtDeadLetters } from "../../../operations/dead-letters/list-dead-letters.ts";
import { createColours } from "../../../shared/terminal-text.ts";
import { to } from "../../integration/fault-proxy.ts";
import { faultyTarget } from "../faulty-target.ts";
import { useOperatedStack } from "../operated-stack.ts";
import { useSubscriberDesk } from "./subscriber-desk.ts";

const operated = useOperatedStack();
const { paycast, paycastJson } = operated;
const { bury, buryText, letterCount } = useSubscriberDesk(operated);

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
    expect(second.out).toContain("Looking counts as a receive.");
    expect(second.out.match(/ 2 +-$/gm)).toHaveLength(12);
  });

  test("tells how many hide behind another event of the same order", async () => {
    // SQS shows at most ten of a group at once.
    for (let index = 0; index < 12; index += 1) await bury("A", "fulfilment", "one-group");
    const { letters, total } = await paycastJson("dead-letters", "list", "fulfilment");
    expect({ seen: letters.length, total }).toEqual({ seen: 10, total: 12 });
    const { out } = await paycast("dead-letters", "list", "fulfilment");
    expect(out).toContain("About 2 more were not seen");
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
    const out: string[] = [];
    const onlyFirst = { stopped: stop.signal, onProgress: () => stop.abort() };
    const { list } = await lookAtDeadLetters(operated.target(), "fulfilment", onlyFirst);
    expect(list).toMatchObject({ stopped: true, letters: { length: 10 }, total: 15 });
    const code = await main(["dead-letters", "list", "fulfilment"], {
      out: (text) => out.push(text),
      err: () => {},
      errIsTty: false,
      colours: createColours(false),
      stopped: AbortSignal.abort(),
    });
    expect(code).toBe(1);
    expect(out.join("")).toContain("Stopped: not everything was looked at.\n");
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
  [[], "Say first what to do: list, show, redrive."],
  [["list"], "Give SUBSCRIBER|inbox."],
  [["redrive", "fulfilment"], "Give either message ids, or say that you mean all."],
  [
    ["redrive", "fulfilment", "abcd", "--all"],
    "Give either message ids, or say that you mean all.",
  ],
])("dead-letters %j has nothing to work on", async (args, message) => {
  const { code, err } = await paycast("dead-letters", ...args);
  expect(code).toBe(2);
  expect(err).toContain(message);
});
