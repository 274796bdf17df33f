import { Stack } from "aws-cdk-lib";
import { AwsSolutionsChecks, type NagPack, PCIDSS321Checks, ServerlessChecks } from "cdk-nag";
import { describe, expect, test } from "vitest";
import { acknowledgements } from "../../infra/acknowledgements.ts";
import { loadConfig } from "../../infra/config/load-config.ts";
import type { PaycastProps } from "../../infra/config/paycast-props.ts";
import { everyOption } from "./every-option.ts";
import { newApp, paycastIn } from "./paycast-app.ts";

const packs = { AwsSolutionsChecks, ServerlessChecks, PCIDSS321Checks };
const sample = loadConfig();
/** Every option has a topic for alarms, and a KMS key for it. */
const mailed = { ...sample, alarms: { email: "on-call@example.com" } };
const configs: Record<string, Partial<PaycastProps>> = { sample, mailed, everyOption };

/** `rule path` of each finding, the path below the construct. */
function findingsOf(props: Partial<PaycastProps>, pack: NagPack): string[] {
  const stack = new Stack(newApp(), "Payments");
  const paycast = paycastIn(stack, props);
  return pack.validateScope(stack).violations.flatMap(({ ruleName, violatingResources }) =>
    violatingResources.map(({ constructPath = "" }) => {
      return `${ruleName} ${constructPath.slice(paycast.node.path.length + 1)}`;
    }),
  );
}

describe.each(Object.entries(configs))("the config %s", (_name, props) => {
  test.each(Object.entries(packs))("leaves no finding of %s unanswered", (_pack, Pack) => {
    expect(findingsOf(props, new Pack())).toEqual([]);
  });
});

describe("the acknowledgements", () => {
  /** What the packs would find if nothing was acknowledged. */
  const found = Object.values(configs).flatMap((props) =>
    Object.values(packs).flatMap((Pack) =>
      findingsOf(props, Object.assign(new Pack(), { isAcknowledged: () => false })),
    ),
  );
  const entries = acknowledgements.flatMap(({ rules, on }) => rules.map((rule) => ({ rule, on })));

  test.each(entries)("answer a finding that exists: $rule on $on", ({ rule, on }) => {
    const answered = found.filter((finding) => {
      const at = finding.lastIndexOf(" ");
      return finding.slice(0, at) === rule && on.test(finding.slice(at + 1));
    });
    expect(answered).not.toEqual([]);
  });

  test("do not cover a storefront that is open to anybody", () => {
    const storefront = { access: "open" as const };
    const open = findingsOf({ ...sample, storefront }, new AwsSolutionsChecks());
    expect(open).toContain("AwsSolutions-APIG4 Http/Api/POST--orders/Resource");
  });
});
