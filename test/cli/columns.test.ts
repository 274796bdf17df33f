import { describe, expect, test } from "vitest";
import { columns, createAligned, pairs } from "../../cli/frame/columns.ts";
import { createColours } from "../../shared/terminal-text.ts";

const colours = createColours(true);

describe("columns", () => {
  test("are aligned, also where a cell has a colour", () => {
    const text = columns(
      ["ORDER", "STATUS"],
      [
        [colours.red("A-1"), "paid"],
        ["ORDER-1001", "open"],
      ],
    );
    expect(text).toBe(`ORDER       STATUS\n${colours.red("A-1")}         paid\nORDER-1001  open\n`);
  });

  test("show what would drive the terminal as a replacement character", () => {
    const hostile = "A\u001b[2J\u001b]0;x\u0007\u202eB\nC";
    expect(columns(["X"], [[hostile]])).toBe("X\nA\ufffd[2J\ufffd]0;x\ufffd\ufffdB\ufffdC\n");
  });
});

test("pairs leave out what has no value", () => {
  expect(
    pairs([
      ["status", "paid"],
      ["flags", undefined],
      ["a longer name", "x"],
    ]),
  ).toBe("status         paid\na longer name  x\n");
});

test("colours do nothing where they are off", () => {
  expect(createColours(false).green("x")).toBe("x");
});

test("rows that come one after the other are aligned, and a wider cell widens its column from then on", () => {
  const align = createAligned([4, 3]);
  expect(["a|b|end", "longer|b|end", "a|b|end"].map((row) => align(row.split("|")))).toEqual([
    ...["a     b    end\n", "longer  b    end\n", "a       b    end\n"],
  ]);
});
