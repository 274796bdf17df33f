import { expect, test } from "vitest";
import { asNews, withFlags } from "../../../shared/orders/applied-fact.ts";
import { anOrder } from "./facts.ts";

test("flags that are raised later are those of the fact and of its aggregate", () => {
  const applied = asNews("f", anOrder({ flags: ["unknownOrder"] }), ["late"]);
  const flagged = withFlags(applied, ["mismatch"]);
  expect(flagged.flags.toSorted()).toEqual(["late", "mismatch"]);
  expect(flagged.aggregate.flags.toSorted()).toEqual(["late", "mismatch", "unknownOrder"]);
});
