import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { useShops } from "../storefront/shop.ts";
import { type Row, readRows, rowOf, writeRow } from "./counted-table.ts";
import { published, unpublished } from "./happenings.ts";
import { type MeteredShop, measure, meterShop } from "./metered-shop.ts";

const makeShop = useShops();
const document = readFileSync(new URL("../../docs/cost.md", import.meta.url), "utf8");
const documented = readRows(document);

/** A minute and more on a busy machine: each happening is caused twice, first to warm up. */

async function count(shop: MeteredShop, counted: typeof published, subscribers: string) {
  const rows: Row[] = [];
  for (const [what, prepare] of Object.entries(counted)) {
    await (await prepare(shop))();
    const usage = await measure(shop, await prepare(shop));
    expect(usage.secretCalls, `calls of a warm function to Secrets Manager: ${what}`).toBe(0);
    rows.push(rowOf(what, subscribers, usage));
  }
  return rows;
}

/** Numbers of calls and units are exact. A line's length, and so its price, differs by the digits of a duration. */
function expectDocumented(rows: readonly Row[]): void {
  const actual = rows.map(writeRow).join("\n");
  for (const { what, subscribers, numbers } of rows) {
    const row = documented.find(
      (candidate) => candidate.what === what && candidate.subscribers === subscribers,
    );
    expect(row?.numbers.slice(0, 5), `docs/cost.md should say:\n${actual}`).toEqual(
      numbers.slice(0, 5),
    );
    for (const index of [5, 6]) {
      expect(row!.numbers[index]! / numbers[index]!, actual).toBeCloseTo(1, 1);
    }
  }
}

describe("docs/cost.md says what the local stack counts", () => {
  test.each([1, 3, 10])("for %d subscribers", async (subscribers) => {
    const shop = await meterShop(await makeShop(), subscribers);
    expectDocumented(await count(shop, published, String(subscribers)));
  });

  test("for what reaches no subscriber", async () => {
    const shop = await meterShop(await makeShop(), 1);
    const rows = await count(shop, unpublished, "any");
    expectDocumented(rows);
    const forged = rows.find(({ what }) => what.startsWith("a forged callback of a configured"))!;
    // Neither messages nor units of the tables.
    expect(forged.numbers.slice(2, 5)).toEqual([0, 0, 0]);
  });
});

describe("the examples of docs/cost.md follow from the table", () => {
  const payment = (subscribers: string) => {
    const row = documented.find(
      (candidate) =>
        candidate.what.startsWith("a payment") && candidate.subscribers === subscribers,
    );
    return row!.numbers[6]!;
  };

  test.each([10_000, 1_000_000])("for %d orders a month", (orders) => {
    const dollars = ["1", "3", "10"].map((subscribers) =>
      ((payment(subscribers) * orders) / 1e6).toFixed(2),
    );
    expect(document).toContain(`| ${orders.toLocaleString("en")} | ${dollars.join(" | ")} |`);
  });

  test("for a flood of forged callbacks at the route's limit", () => {
    const perMillion = documented.find(({ what }) => what.startsWith("a forged callback of a con"));
    const anHour = (500 * 3600 * perMillion!.numbers[6]!) / 1e6;
    const text = document.replaceAll("\n", " ");
    expect(text).toContain(`$${anHour.toFixed(2)} an hour`);
    const logged = 500 * 3600 * 0.15e-6;
    const recorded = (1 + 0.05 * 499) * 3600 * 5e-6;
    expect(text).toContain(`$${(anHour + logged).toFixed(2)} with its lines`);
    expect(text).toContain(`$${(anHour + logged + recorded).toFixed(2)} if \`tracing\` is on`);
    expect(text).toContain(`$${(9_500 * 3600 * 1.15e-6).toFixed(2)} an hour at the 10,000`);
  });
});
