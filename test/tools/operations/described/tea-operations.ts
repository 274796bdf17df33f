import * as z from "zod";
import { describeChange, describeLook } from "../../../../tools/operations/described/describe.ts";
import type { OperationGroup } from "../../../../tools/operations/described/description.ts";
import {
  choice,
  flag,
  id,
  ids,
  text,
  time,
  wholeNumber,
} from "../../../../tools/operations/described/fields.ts";

/** What the operations below were asked, and did. */
export const poured: object[] = [];

const filter = {
  kind: choice("only this kind", ["green", "black"]),
  madeSince: time("only what was made since then", "since"),
  limit: wholeNumber("how many to list", 50, 1, 99),
};

const list = describeLook({
  verb: "list",
  summary: "The teas that are there.",
  input: z.object(filter),
  look: async (_target, asked) => ({
    lines: ["Two teas."],
    table: { head: ["id", "made"], rows: [["1", { time: "2026-11-15T12:00:00.000Z" }]] },
    below: ["And one more."],
    data: { asked },
    isGood: true,
  }),
});

const show = describeLook({
  verb: "show",
  summary: "One tea.",
  input: z.object({ id, raw: flag("the leaves alone") }),
  words: ["id"],
  look: async (_target, { id: wanted, raw }) => ({
    lines: ["A tea."],
    facts: [
      ["id", wanted],
      ["colour", undefined],
    ],
    text: "green\n\u001b[2Jleaves",
    data: { id: wanted },
    ...(raw && { bytes: Buffer.from([0xff]) }),
    isGood: wanted !== "cold",
  }),
});

const pour = describeChange({
  verb: "pour",
  title: "Pour tea",
  summary: `Pours it. ${"A long promise. ".repeat(10).trim()}`,
  input: z.object({ ids, into: text("where it goes", "CUP") }),
  words: ["ids"],
  plan: async (_target, asked, { tell, stopped }) => {
    tell("Looking for the pot");
    stopped.throwIfAborted();
    const yes = asked.ids.length === 0 ? undefined : `Pour ${asked.ids.length}`;
    return {
      report: {
        lines: [yes === undefined ? "There is nothing to pour." : "It would be poured."],
        below: ["It is hot."],
        data: { count: asked.ids.length },
        isGood: yes !== undefined,
      },
      yes,
      act: async () => {
        if (asked.into === "floor") throw new Error("spilled");
        poured.push(asked);
        return { lines: ["Poured."], below: ["Enjoy."], data: { cups: 1 }, isGood: true };
      },
    };
  },
});

/** Operations that need no stack, to test what is made of a description. */
export const tea: OperationGroup = {
  name: "tea",
  about: ["All about tea."],
  operations: [list, show, pour],
  examples: ["tea list --kind green"],
};
