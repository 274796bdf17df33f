import { describe, expect, test } from "vitest";
import { tableCallMilliseconds } from "../../../shared/timing.ts";
import {
  creationShop,
  now,
  orderKey,
  paymentKey,
  paymentOfAnother,
  shortened,
} from "./creation-shop.ts";

const together = [orderKey, paymentKey, "shortened-number"];
const alone = [orderKey, paymentKey];

/** Fails the writes with these numbers. */
const failing =
  (...attempts: readonly number[]) =>
  (attempt: number) => {
    if (attempts.includes(attempt)) throw new Error(`Write ${attempt} failed.`);
  };

describe("if the transaction that stores a payment fails", () => {
  test("without notices, it is not repeated and the error reaches the caller", async () => {
    const { load, pay } = await creationShop();
    const { writes, stored } = await pay(failing(1));
    expect(writes).toEqual([alone]);
    expect(stored).toEqual({ kind: "thrown", error: new Error("Write 1 failed.") });
    expect((await load()).payment.revision).toBe(0);
  });

  test("the payment is stored without its notice, then the notice by itself", async () => {
    const { load, pay, notice } = await creationShop();
    const { writes, stored } = await pay(failing(1), shortened);
    expect(writes).toEqual([together, alone, ["shortened-number"]]);
    expect(stored).toMatchObject({ kind: "stored", order: { paymentIds: ["P1"] } });
    expect(stored).not.toHaveProperty("unwritten");
    expect((await load()).order).toMatchObject({ revision: 2, paymentIds: ["P1"] });
    expect(await notice("shortened-number")).toMatchObject({ kind: "shortened-number" });
  });

  test("and the notice by itself fails, too, the payment is stored and the error is returned", async () => {
    const { load, pay, notice } = await creationShop();
    const { writes, stored } = await pay(failing(1, 3), shortened);
    expect(writes).toEqual([together, alone, ["shortened-number"]]);
    expect(stored).toMatchObject({ kind: "stored", unwritten: new Error("Write 3 failed.") });
    expect((await load()).payment).toMatchObject({ revision: 1, order: { orderNo: "A" } });
    expect(await notice("shortened-number")).toBeUndefined();
  });

  test("for a payment of another order, the error of the notice is returned, too", async () => {
    const { save, pay } = await creationShop();
    await save(paymentOfAnother);
    // The first write finds the other order's payment.
    const { stored } = await pay(failing(2, 4));
    expect(stored).toEqual({ kind: "claimed", unwritten: new Error("Write 4 failed.") });
  });

  test("and another writer is first then, no notice is written before the order is read again", async () => {
    const { load, save, pay } = await creationShop();
    const { writes, stored } = await pay(async (attempt) => {
      if (attempt === 1) throw new Error("Write 1 failed.");
      if (attempt === 2) await save((await load()).order);
    }, shortened);
    expect(writes).toEqual([together, alone, together]);
    expect(stored).toMatchObject({ kind: "stored" });
    expect((await load()).order.revision).toBe(3);
  });
});

test("throttled notices are repeated and delay the payment by seconds only", async () => {
  let passed = 0;
  const pause = async (milliseconds: number) => {
    passed += milliseconds;
  };
  const { pay } = await creationShop({ now: () => now + passed, pause });
  const storedAfter: number[] = [];
  const throttled = Object.assign(new Error("slow down"), { name: "ThrottlingException" });
  const { writes, stored } = await pay((_attempt, names) => {
    if (names.includes("shortened-number")) throw throttled;
    storedAfter.push(passed);
  }, shortened);
  const unwritten = { code: "table-throttled", cause: throttled };
  expect(stored).toMatchObject({ kind: "stored", unwritten });
  expect(writes.slice(0, 2)).toEqual([together, together]);
  expect(storedAfter).toEqual([expect.any(Number)]);
  expect(storedAfter[0]).toBeLessThan(tableCallMilliseconds);
  expect(passed).toBeLessThan(2 * tableCallMilliseconds);
});
