import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { everyOption } from "./every-option.ts";
import { synthesizeTemplate } from "./stack-template.ts";

const configuration = readFileSync("docs/configuration.md", "utf8");

/** The names in the first column of a table that begins with this heading. */
function firstColumn(heading: string): string[] {
  const [, table = ""] = configuration.split(`\n| ${heading} |`);
  const [, , ...rows] = table.slice(0, table.indexOf("\n\n")).split("\n");
  return rows.flatMap((row) => namesIn(row.split("|")[1] ?? ""));
}

/** `a.b`, `.c` names a.b and a.c; `xOne`, `…Two` names xOne and xTwo. */
function namesIn(cell: string): string[] {
  const [first = "", ...others] = [...cell.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name);
  const spelled = others.map((name) => name.replace(/^\./, first.replace(/[^.]*$/, "")));
  return [first, ...spelled.map((name) => name.replace("…", first.replace(/QueueUrl$/, "")))];
}

describe("docs/configuration.md", () => {
  test("lists every output of the stack, and no other", () => {
    const { Outputs } = synthesizeTemplate(everyOption);
    const general = Object.keys(Outputs).map((name) =>
      name
        .replace(
          /^(ReceiveCallback|ProcessCallback|CreateOrder|QueryOrder|ReconcileOrders|CountAttention)/,
          "FUNCTION",
        )
        .replace(/^Subscriber(Fulfilment|Analytics)/, "SubscriberNAME")
        .replace(/^(Callback|Request)KeysM\d$/, "$1KeysMERCHANT"),
    );
    expect(new Set(firstColumn("output"))).toEqual(new Set(general));
  });
});
