import { EventEmitter, once } from "node:events";
import { BatchWriteItemCommand } from "@aws-sdk/client-dynamodb";
import { describe, expect, test } from "vitest";
import { dayPlaceOf, timeOfPlace } from "../../../shared/orders/day.ts";
import { newOrder, type Order } from "../../../shared/orders/order.ts";
import { toAttributes } from "../../../shared/table/attributes.ts";
import { hasBrowser } from "../../setup/browser.ts";
import { anAttempt } from "../../shared/orders/facts.ts";
import { useDeployedStack } from "../operations/deployed-stack.ts";
import { useOperatedStack } from "../operations/operated-stack.ts";
import { ownDay } from "../operations/replay/recorded-events.ts";
import { useBrowser } from "./browser-pages.ts";
import { openConsole } from "./open-console.ts";
import { serveDeployed } from "./serve-deployed.ts";

const operated = useOperatedStack();
const deployed = useDeployedStack(operated);
const day = ownDay();
const range = `from=${day.since}&until=${day.until}`;
const ten = Date.parse(day.at("10:00:00.000"));

/** So many orders of that day, 2,000 to a minute, as create-order stores them. */
async function make(name: string, count: number, from: number, fields: Partial<Order> = {}) {
  const orders = Array.from({ length: count }, (_item, index) => {
    const order = newOrder("shop-1", `${name}-${index}`);
    const attempts = [anAttempt({ attemptId: `${index}` })];
    return { ...order, revision: 1, attempts, ...dayPlaceOf(order, from + index * 30), ...fields };
  });
  const clients = operated.clients();
  const { tables } = operated.stack().description;
  for (let at = 0; at < orders.length; at += 25) {
    const puts = orders.slice(at, at + 25).map((order) => {
      return { PutRequest: { Item: toAttributes(order) } };
    });
    const RequestItems = { [tables.orders]: puts };
    await clients.dynamodb.send(new BatchWriteItemCommand({ RequestItems }));
  }
}

const refused = {
  attempts: [anAttempt({ state: "refused" })],
  state: {
    kind: "refused" as const,
    code: "40103",
    msg: "body cannot be decrypted",
    atMilliseconds: ten,
  },
  creation: {
    content: { channel: "hash" },
    channel: "WEB",
    callbackUrl: "https://api.example/callbacks",
    expiresAtMilliseconds: ten,
  },
};

/** What a console that remembers nothing answers, and how often it calls DynamoDB for that. */
async function ask(path: string) {
  const served = await serveDeployed();
  const page = await openConsole(served.url);
  const before = deployed().calls.length;
  const answer = await page.view(path);
  const all = deployed().calls.slice(before);
  await served.stop();
  return { ...answer, all: all.length, calls: all.filter((call) => call.startsWith("dynamodb:")) };
}

const numbersOf = ({ orders }: { orders: { orderNo: string }[] }) =>
  orders.map(({ orderNo }) => orderNo);

describe("with 2,000 orders in a minute", () => {
  test("a page of the list costs as many calls as with a few", async () => {
    await make("FEW", 60, ten);
    const few = await ask(`/api/orders?${range}`);
    await make("OLD", 2, ten - 1_000, refused);
    await make("MANY", 2_000, ten + 60_000);
    const first = await ask(`/api/orders?${range}`);
    expect(first.all).toBe(few.all);
    expect(few).toMatchObject({ total: 60, looked: 50 });
    expect(first.total).toBeUndefined();
    // Eight shards are read, eight are counted, and the orders of the page are read together.
    expect(first.calls).toHaveLength(17);
    const second = await ask(`/api/orders?${range}&after=${encodeURIComponent(first.next)}`);
    expect(second.calls.length).toBeLessThanOrEqual(first.calls.length);
    expect([...numbersOf(first), ...numbersOf(second)]).toEqual(
      Array.from({ length: 100 }, (_item, index) => `MANY-${1_999 - index}`),
    );
  });

  test("a filter that few orders pass reads 2,000 orders at most, says so, and goes on from there", async () => {
    const first = await ask(`/api/orders?${range}&status=refused`);
    expect(first).toMatchObject({ orders: [], looked: 2_000 });
    expect(first.since).toBe(new Date(ten + 60_000).toISOString());
    // Twenty times a hundred orders, and the keys of eight shards in parts of 100.
    expect(first.calls.filter((call: string) => call.includes("BatchGet"))).toHaveLength(20);
    expect(first.calls.length).toBeLessThanOrEqual(60);
    const next = encodeURIComponent(first.next);
    const second = await ask(`/api/orders?${range}&status=refused&after=${next}`);
    expect(numbersOf(second)).toEqual(["OLD-1", "OLD-0"]);
    expect(second).toMatchObject({
      orders: [{ status: "refused", refusal: { code: "40103", msg: expect.any(String) } }, {}],
      looked: 62,
    });
    expect(second.next).toBeUndefined();
  });

  test("a part of a number is found in the index alone, anywhere in the number", async () => {
    const found = await ask(`/api/orders?${range}&text=ew-2`);
    const numbers = Array.from({ length: 10 }, (_item, index) => `FEW-2${9 - index}`);
    expect(numbersOf(found)).toEqual([...numbers, "FEW-2"]);
    expect(found).toMatchObject({ looked: 2_062 });
    expect(found.next).toBeUndefined();
    // Eight shards are read in parts of 250, however few are wanted. The orders that are found are read together.
    expect(found.calls.length).toBeLessThanOrEqual(8 * 2 + 1);
    for (const filter of ["text=of-nobody", "merchant=nobody"]) {
      const none = await ask(`/api/orders?${range}&limit=8&${filter}`);
      expect(none).toMatchObject({ orders: [], looked: 2_062 });
      expect(none.calls.length).toBeLessThanOrEqual(8 * 2);
    }
  });

  test("a long range is looked through in parts of 14 days", async () => {
    const first = await ask("/api/orders?from=2025-01-01&until=2025-12-31");
    expect(first).toMatchObject({ orders: [], looked: 0, since: "2025-12-18T00:00:00.000Z" });
    expect(first.calls).toHaveLength(14 * 8);
    const next = encodeURIComponent(first.next);
    const second = await ask(`/api/orders?from=2025-01-01&until=2025-12-31&after=${next}`);
    expect(second.since).toBe("2025-12-05T00:00:00.000Z");
  });
});

const isPossible = hasBrowser("the list of many orders");

describe.runIf(isPossible)("the page of many orders", () => {
  const { open } = useBrowser(() => operated.stack().description.console);

  test("reads on by itself, says how far it is, stops and continues when asked to", async () => {
    const page = await open();
    // As the server answers above, where it looks through the 2,000.
    const { dayPlace: next } = dayPlaceOf(newOrder("shop-1", "MANY-0"), ten + 60_000);
    const early = { orders: [], looked: 2_000, next, since: timeOfPlace(next), from: day.since };
    await page.route(/\/api\/orders\?.*status=/, (route) => route.fulfill({ json: early }));
    const released = new EventEmitter();
    const held = once(released, "now");
    await page.route(/\/api\/orders\?.*after=/, async (route) => {
      await held;
      await route.continue().catch(() => undefined);
    });
    await page.goto(new URL(`/orders?${range}&status=refused`, page.url()).href);
    const status = page.locator(".list-end [role=status]");
    await status.getByText(/^Searching … Searched 2,000 orders, back to .*: 0 found\.$/).waitFor();
    await page.getByRole("button", { name: "Stop" }).click();
    await page.getByText("No order in this range matches.").waitFor();
    released.emit("now");
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByRole("link", { name: "OLD-1" }).waitFor();
    await status.getByText(/^Searched 2,062 orders, back to .*: 2 found\.$/).waitFor();
    expect(await page.getByRole("button", { name: "Continue" }).count()).toBe(0);

    await page.goto(new URL(`/orders?${range}`, page.url()).href);
    await page.getByText("50 orders since").waitFor();
    await page.getByRole("link", { name: "Show older" }).click();
    await page.getByRole("link", { name: "MANY-1949" }).waitFor();
    await page.getByRole("link", { name: "Newest" }).click();
    await page.getByRole("link", { name: "MANY-1999" }).waitFor();
  });
});
