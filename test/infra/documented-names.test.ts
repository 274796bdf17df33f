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

/** Every field of an object, at any depth, as `a.b`. */
function pathsOf(value: object, prefix = ""): string[] {
  return Object.entries(value).flatMap(([key, inner]) => {
    const path = `${prefix}${key}`;
    const isObject = typeof inner === "object" && !Array.isArray(inner);
    return isObject ? pathsOf(inner, `${path}.`) : [path];
  });
}

describe("docs/configuration.md", () => {
  test("lists every field of the config, and no other", () => {
    const merchant = (path: string) => path.replace("secrets.M1.", "secrets.MERCHANT.");
    const fields = pathsOf(everyOption)
      .map((path) => merchant(path).replace(/^concurrency\..+/, "concurrency.*"))
      // The sample leaves one of the two secrets to the stack.
      .concat("secrets.MERCHANT.requestKeysArn");
    expect(new Set(firstColumn("field"))).toEqual(new Set(fields));
  });

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
