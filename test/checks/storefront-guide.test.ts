import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { orderViewSchema } from "../../shared/storefront/order-view.ts";
import { problemDescriptions } from "../../shared/storefront/problem-kinds.ts";
import { readOrder } from "../../shared/storefront/read-order.ts";

const guide = readFileSync(new URL("../../docs/storefront.md", import.meta.url), "utf8");

/** The rows of the table with this heading, as cells. */
function rowsOf(firstHeading: string): string[][] {
  const lines = guide.slice(guide.indexOf(`| ${firstHeading} |`)).split("\n");
  const rows = lines.slice(
    2,
    lines.findIndex((line) => !line.startsWith("|")),
  );
  return rows.map((line) =>
    line
      .split("|")
      .map((cell) => cell.trim())
      .slice(1, -1),
  );
}

test("the table of errors has every problem, with the words of the API's own description", () => {
  const described = Object.entries(problemDescriptions).map(([code, description]) => {
    return [`\`${code}\``, String(description.status), description.when, description.whatToDo];
  });
  expect(rowsOf("code")).toEqual(described);
});

test("the guide says what to show for every status", () => {
  const shown = rowsOf("status").map(([status]) => status?.replaceAll("`", ""));
  expect(new Set(shown)).toEqual(new Set(orderViewSchema.shape.status.options));
});

test("the guide's signed call is sent once: by default its package repeats a create ten times after a 5xx", () => {
  const [, code = ""] = /```ts\n([\s\S]*?aws4fetch[\s\S]*?)```/.exec(guide) ?? [];
  expect(code).toContain("new AwsClient({ ...(await credentials()), ...settings })");
  expect(code).toMatch(/const settings = \{.* retries: 0 \};/);
});

test("the guide's order is accepted as it stands", () => {
  const body = /-d '(\{[^']+\})'/.exec(guide)?.[1] ?? "";
  const rules = {
    nowMilliseconds: Date.now(),
    redirects: { loopback: false },
    merchantIds: ["shop-1"],
    shortOrderNumbers: false,
    exactSums: true,
  };
  const read = readOrder(body, rules);
  expect(read.body.order.orderNo).toBe("SHOP-2001");
  expect(read.faultsIfNew).toEqual([]);
});
