import { describe, expect, test } from "vitest";
import type { ConfigInput } from "../../infra/config/config-schema.ts";
import { functionNames } from "../../infra/config/function-names.ts";
import { messageOf } from "../builders/thrown-by.ts";
import { functionNamed, resourcesOf, spell, synthesizeTemplate } from "./stack-template.ts";

const refusalOf = (changes: Partial<ConfigInput>) => messageOf(() => synthesizeTemplate(changes));

const many = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_item, index) => make(index));

const origins = (count: number) =>
  many(count, (index) => `https://shop-${index}.stores.example.com`);
const subscribers = (count: number): ConfigInput["subscribers"] =>
  many(count, (index) => ({ name: `subscriber-${index}`, types: ["payment.order.*"] }));

describe("an environment over Lambda's 4 KB", () => {
  test.each<[string, Partial<ConfigInput>, RegExp]>([
    [
      "origins",
      { storefront: { redirectOrigins: origins(120) } },
      /^storefront\.redirectOrigins \(\d+ bytes\).* must be shorter: the environment of create-order/,
    ],
    [
      "subscribers",
      { subscribers: subscribers(24) },
      /^subscribers \(\d+ bytes\) must be shorter: the environment of process-callback would take \d{4} bytes, and Lambda allows 4096$/,
    ],
    [
      "a path of the payment service",
      {
        gateway: {
          baseUrl: "https://payments.example.com",
          paths: { create: `/${"p".repeat(4000)}` },
        },
      },
      /^gateway \(\d+ bytes\).* must be shorter/,
    ],
    [
      "merchants and origins together",
      {
        merchants: many(20, (index) => `merchant-${index}`.padEnd(18, "x")),
        storefront: { redirectOrigins: origins(20) },
      },
      /^merchants \(\d+ bytes\), storefront\.redirectOrigins \(\d+ bytes\).* must be shorter/,
    ],
  ])("is refused for too many %s, by name", (_case, changes, message) => {
    expect(refusalOf(changes)).toMatch(message);
  });

  test("is never reached by a config that is accepted, with the longest names AWS gives", () => {
    const stack = synthesizeTemplate({
      merchants: many(18, (index) => `merchant-${index}`.padEnd(18, "x")),
      // As many as docs/configuration.md says.
      subscribers: subscribers(18),
    });
    for (const name of functionNames) {
      const { Variables } = functionNamed(stack, name).Properties.Environment;
      const deployed = Object.entries(Variables).map(([key, value]) => [key, asDeployed(value)]);
      const measured = JSON.stringify(Object.fromEntries(deployed));
      expect(Buffer.byteLength(measured), name).toBeLessThanOrEqual(4096);
    }
  });

  test("is far away for the number of merchants and subscribers that a shop has", () => {
    expect(resourcesOf(synthesizeTemplate(), "AWS::Lambda::Function")).toHaveLength(6);
    expect(refusalOf({ subscribers: subscribers(16), merchants: ["A", "B", "C"] })).toBe(
      "accepted",
    );
  });
});

/** A value as it is after a deployment into the region with the longest name. */
function asDeployed(value: unknown): string {
  return spell(value)
    .replace(/\bRecords\w+/g, (name) => `Paycast-${name}12345678-1ABCDEFGHIJKL`)
    .replace(/\bSubscribers\w+/g, longestName)
    .replace(
      /\bInbox\w+/g,
      (name) => `https://sqs.ap-southeast-2.amazonaws.com/123456789012/${longestName(name)}`,
    )
    .replace(
      /\bKeys\w+/g,
      (name) =>
        `arn:aws:secretsmanager:ap-southeast-2:123456789012:secret:${name}12345678-1ABCDEFGHIJKL-AbCdEf`,
    );
}

function longestName(name: string): string {
  return name.slice(0, 75).padEnd(80, "x");
}
