import { expect, test } from "vitest";
import { createColours, harmless, printable } from "../../shared/terminal-text.ts";

const red = createColours(true).red;

test("a value from outside cannot change the terminal: no control character, no direction, no colour", () => {
  expect(harmless(`A\u001b[2J\u202eB\n\u0007C`)).toBe("A\ufffd[2J\ufffdB\ufffd\ufffdC");
  expect(harmless(red("A"))).toBe("\ufffd[31mA\ufffd[39m");
});

test("a text of ours keeps its own colours", () => {
  expect(printable(`${red("A")}\u001b[2J`)).toBe(`${red("A")}\ufffd[2J`);
});

test("letters of every script stay as they are", () => {
  for (const text of ["ORDER-1001", "订单-7", "заказ", "طلب", "👩‍🚀"])
    expect(harmless(text)).toBe(text);
});
