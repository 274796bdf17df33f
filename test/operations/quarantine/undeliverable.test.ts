import { describe, expect, test } from "vitest";
import { discardLetters } from "../../../operations/quarantine/discard-letters.ts";
import { PaycastError } from "../../../shared/paycast-error.ts";
import { putItem } from "../../integration/aws-stores.ts";
import { useOperatedStack } from "../operated-stack.ts";
import { callback } from "./put-aside.ts";
import { useQuarantineDesk } from "./quarantine-desk.ts";

const operated = useOperatedStack();
const { paycast, paycastJson } = operated;
const { toDeadLetters, record, letter, letterCount, idOf, stored, published } =
  useQuarantineDesk(operated);

describe("an event that subscribers did not get", () => {
  const undeliverable = async (pending: string[]) => {
    const aside = callback();
    await record(aside);
    await paycast("quarantine", "redrive", await idOf(aside), "--yes");
    const one = await published(aside);
    const { clients, tables } = operated.target();
    await putItem(clients.dynamodb, tables.callbacks, { ...one, pending: new Set(pending) });
    const detail = `Not delivered to ${pending.join(", ")}.`;
    await letter(aside, new PaycastError("subscriber-unreachable", detail));
    return aside;
  };

  test("is sent again to those that still miss it", async () => {
    const aside = await undeliverable(["analytics"]);
    const id = await idOf(aside);
    const { out } = await paycast("quarantine", "list");
    expect(out).toContain("Not delivered to analytics.");
    expect(await paycastJson("quarantine", "redrive", id, "--yes")).toMatchObject({
      items: [{ item: { kind: "undeliverable" }, outcome: { kind: "published" } }],
    });
    expect(await letterCount()).toEqual({ visible: 0, held: 0 });
  });

  test("is not discarded while a configured subscriber misses it", async () => {
    const aside = await undeliverable(["analytics", "long-gone"]);
    const id = await idOf(aside);
    const { code, out } = await paycast("quarantine", "discard", id, "--yes");
    expect(code).toBe(1);
    expect(out).toContain(
      "a subscriber still misses the event. Redrive it, or take the subscriber out of the config and deploy:",
    );
    expect(await letterCount()).toEqual({ visible: 1, held: 0 });
    const plan = { discard: (await paycastJson("quarantine", "discard", id)).missed };
    const planned = { ...plan, refused: [], missed: [] };
    expect(await discardLetters(operated.target(), planned)).toMatchObject({ deleted: 0 });
  });

  test("for a subscriber that is gone is left out, and discard deletes only the dead letter", async () => {
    const aside = await undeliverable(["long-gone"]);
    const id = await idOf(aside);
    const { code, out } = await paycast("quarantine", "redrive", id, "--yes");
    expect(code).toBe(1);
    expect(out).toContain("no longer configured");
    expect(out).toContain(`npx paycast quarantine discard ${id}`);
    const preview = await paycast("quarantine", "discard", id);
    expect(preview.out).toContain("1 dead letter would be deleted; records stay:");
    expect(await letterCount()).toEqual({ visible: 1, held: 0 });
    expect(await paycast("quarantine", "discard", id, "--yes")).toMatchObject({
      code: 0,
      out: "1 dead letter deleted. Records stay.\n",
    });
    expect(await letterCount()).toEqual({ visible: 0, held: 0 });
    expect(await stored(aside)).toMatchObject([{ outcome: "published" }]);
  });
});

test("discard refuses the only copy of a callback, and takes what is no callback", async () => {
  const only = callback();
  await toDeadLetters(only);
  await toDeadLetters({ body: "hello", group: "a" });
  const { items } = await paycastJson("quarantine", "list");
  const foreign = items.find(({ kind }: { kind: string }) => kind === "foreign");
  const { code, out } = await paycast("quarantine", "discard", await idOf(only), "--yes");
  expect(code).toBe(1);
  expect(out).toContain("Nothing can be discarded.");
  expect(await letterCount()).toEqual({ visible: 2, held: 0 });
  expect((await paycast("quarantine", "discard", foreign.id, "--yes")).code).toBe(0);
  expect(await letterCount()).toEqual({ visible: 1, held: 0 });
});
