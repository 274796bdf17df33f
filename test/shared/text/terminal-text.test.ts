import { expect, test } from "vitest";
import {
  coloursFor,
  createColours,
  harmless,
  printable,
} from "../../../shared/text/terminal-text.ts";

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

test.each([
  ["a terminal", { isTTY: true }, {}, true],
  ["a terminal with an empty NO_COLOR", { isTTY: true }, { NO_COLOR: "" }, true],
  ["a terminal with NO_COLOR", { isTTY: true }, { NO_COLOR: "1" }, false],
  ["a pipe or a file", {}, {}, false],
])("%s: colours are written or not", (_name, stream, environment, isColoured) => {
  expect(coloursFor(stream, environment).red("A")).toBe(isColoured ? red("A") : "A");
});
