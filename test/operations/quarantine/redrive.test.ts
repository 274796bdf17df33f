import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { until } from "../../end-to-end/running-stack.ts";
import { useOperatedStack } from "../operated-stack.ts";
import { type Aside, callback } from "./put-aside.ts";
import { useQuarantineDesk } from "./quarantine-desk.ts";

const operated = useOperatedStack();
const { paycast, paycastJson } = operated;
const {
  toDeadLetters,
  record,
  letter,
  letterCount,
  idOf,
  idsOf,
  stored,
  eventsAbout,
  published,
  putFixed,
} = useQuarantineDesk(operated);

describe("a redrive", () => {
  test("without --yes only says what it would do", async () => {
    const fixed = callback();
    await putFixed(fixed);
    const { code, out } = await paycast("quarantine", "redrive", await idOf(fixed));
    expect(code).toBe(0);
    expect(out).toContain("1 message would be sent to the inbox again:\n");
    expect(out).toContain(fixed.orderNo);
    expect(out).toContain("Nothing was changed. To do it, run the same command with --yes.\n");
    expect(await stored(fixed)).toMatchObject([{ outcome: "quarantined" }]);
    expect(await letterCount()).toEqual({ visible: 1, held: 0 });
  });

  test("publishes what is understood now, deletes its dead letter and leaves an audit line", async () => {
    const fixed = callback();
    await putFixed(fixed);
    const id = await idOf(fixed);
    const { code, out } = await paycast("quarantine", "redrive", id, "--yes");
    expect(out).toMatch(new RegExp(`^${id} +order ${fixed.orderNo} +published$`, "m"));
    expect(code).toBe(0);
    expect(await letterCount()).toEqual({ visible: 0, held: 0 });
    expect(await eventsAbout(fixed.orderNo)).toHaveLength(1);
    const lines = readFileSync(join(operated.directory, "audit.log"), "utf8").trim().split("\n");
    expect(JSON.parse(lines.at(-1)!)).toMatchObject({
      act: "quarantine-redrive",
      selection: "ids",
      count: 1,
      ids: [id],
    });
    expect(lines.join("")).not.toContain(fixed.orderNo);
  });

  test("sends from the record, after the dead letter is gone", async () => {
    const fixed = callback();
    await record(fixed);
    const id = await idOf(fixed);
    const answer = await paycastJson("quarantine", "redrive", id, "--yes");
    expect(answer).toMatchObject({ sent: 1, items: [{ outcome: { kind: "published" } }] });
    expect(await eventsAbout(fixed.orderNo)).toHaveLength(1);
  });

  test("sends a dead letter that has no record", async () => {
    const fixed = callback();
    await toDeadLetters(fixed);
    const id = await idOf(fixed);
    expect(await paycastJson("quarantine", "redrive", id, "--yes")).toMatchObject({
      items: [{ outcome: { kind: "published" } }],
    });
    expect(await letterCount()).toEqual({ visible: 0, held: 0 });
  });

  test("of what still fails is quarantined again, and says so, however soon it is repeated", async () => {
    const odd = callback({ eventName: "payment.order.unheard-of" });
    await putFixed(odd);
    const id = await idOf(odd);
    for (let times = 0; times < 2; times += 1) {
      const { code, out } = await paycast("quarantine", "redrive", id, "--wait", "10", "--yes");
      expect(code).toBe(1);
      expect(out).toContain("quarantined again: event-unknown");
      expect(out).toContain("What was quarantined again is a new dead letter");
      await until("the new dead letter", async () =>
        (await letterCount()).visible === 1 ? true : undefined,
      );
    }
    expect(await stored(odd)).toMatchObject([{ outcome: "quarantined", reason: "event-unknown" }]);
  });

  test("sends a group in the order of receipt, also what hides behind another dead letter", async () => {
    const orderNo = `ORDERED-${Date.now()}`;
    const now = Date.now();
    const asides = [3, 1, 2].map((age) => callback({ orderNo, receivedAt: now - age * 1000 }));
    const [oldest, youngest, middle] = asides as [Aside, Aside, Aside];
    for (const one of asides) await record(one);
    for (const one of [youngest, middle]) await letter(one);
    const answer = await paycastJson("quarantine", "redrive", ...(await idsOf(asides)), "--yes");
    expect(answer.sent).toBe(3);
    expect(await letterCount()).toEqual({ visible: 0, held: 0 });
    const events = await eventsAbout(orderNo);
    expect(events.map(({ data }) => data.callbackId)).toEqual(
      [oldest, middle, youngest].map(({ callbackId }) => callbackId),
    );
  });

  test("leaves alone what was not chosen", async () => {
    const [chosen, other] = [callback(), callback()];
    for (const one of [chosen, other]) {
      await putFixed(one);
    }
    await paycast("quarantine", "redrive", await idOf(chosen), "--yes");
    expect(await stored(other)).toMatchObject([{ outcome: "quarantined" }]);
    expect(await letterCount()).toEqual({ visible: 1, held: 0 });
    expect(await paycastJson("quarantine", "redrive", await idOf(other), "--yes")).toMatchObject({
      sent: 1,
    });
  });

  test("of something processed meanwhile publishes nothing twice, and removes the dead letter", async () => {
    const fixed = callback();
    await toDeadLetters(fixed);
    await record(fixed);
    await paycast("quarantine", "redrive", await idOf(fixed), "--yes");
    await letter(fixed);
    const { out } = await paycast("quarantine", "list");
    expect(out).toContain("Processed meanwhile; a redrive removes the dead letter.");
    const { code } = await paycast("quarantine", "redrive", await idOf(fixed), "--yes");
    expect(code).toBe(0);
    expect(await letterCount()).toEqual({ visible: 0, held: 0 });
    expect(await eventsAbout(fixed.orderNo)).toHaveLength(1);
  });

  test("of nothing says so, and the answer is no", async () => {
    const { code, out } = await paycast("quarantine", "redrive", "--reason", "no-such-reason");
    expect({ code, out }).toEqual({ code: 1, out: "There is nothing to redrive.\n" });
  });

  test("does not wait with --wait 0", async () => {
    const fixed = callback();
    await record(fixed);
    const id = await idOf(fixed);
    const { code, out } = await paycast("quarantine", "redrive", id, "--wait", "0", "--yes");
    expect({ code, out }).toEqual({ code: 0, out: "1 message sent to the inbox.\n" });
    await published(fixed);
  });
});
