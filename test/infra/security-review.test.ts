import { Stack } from "aws-cdk-lib";
import { AwsSolutionsChecks, type NagPack, PCIDSS321Checks, ServerlessChecks } from "cdk-nag";
import { describe, expect, test } from "vitest";
import { acknowledgements } from "../../infra/acknowledgements.ts";
import { functionNames } from "../../infra/config/function-names.ts";
import { loadConfig } from "../../infra/config/load-config.ts";
import type { PaycastProps } from "../../infra/config/paycast-props.ts";
import { newApp, paycastIn } from "./consuming/consumer-stack.ts";
import { everyOption } from "./every-option.ts";
import {
  permissionsOf,
  plainId,
  resourcesOf,
  spell,
  synthesizeTemplate,
} from "./stack-template.ts";

const packs = { AwsSolutionsChecks, ServerlessChecks, PCIDSS321Checks };
const sample = loadConfig();
const configs: Record<string, Partial<PaycastProps>> = { sample, everyOption };

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
  const entries = acknowledgements.flatMap(({ rules, on, reason }) =>
    rules.map((rule) => ({ rule, on, reason })),
  );

  test.each(entries)("answer a finding that exists: $rule on $on", ({ rule, on }) => {
    const answered = found.filter((finding) => {
      const at = finding.lastIndexOf(" ");
      return finding.slice(0, at) === rule && on.test(finding.slice(at + 1));
    });
    expect(answered).not.toEqual([]);
  });

  test.each(entries)("give a reason that can be judged: $rule on $on", ({ reason }) => {
    expect(reason.split(" ").length).toBeGreaterThan(10);
  });

  test("do not cover a storefront that is open to anybody", () => {
    const storefront = { access: "open" as const };
    const open = findingsOf({ ...sample, storefront }, new AwsSolutionsChecks());
    expect(open).toContain("AwsSolutions-APIG4 Http/Api/POST--orders/Resource");
  });
});

describe("with every option", () => {
  const template = synthesizeTemplate(everyOption);

  test("no function has a wildcard resource but X-Ray's and its network's, which its code may not use", () => {
    for (const name of functionNames) {
      const all = permissionsOf(template, name).filter((line) => line.endsWith("*"));
      const isNetwork = (line: string) =>
        /^Allow ec2:\w*(NetworkInterface|Subnets|Address)/.test(line);
      for (const line of all.filter(isNetwork))
        expect(all).toContain(line.replace("Allow", "Deny"));
      const wild = all.filter((line) => line.startsWith("Allow") && !isNetwork(line));
      expect(wild).toEqual(["Allow xray:PutTelemetryRecords *", "Allow xray:PutTraceSegments *"]);
    }
  });

  test("no function may send to a queue that is not the stack's", () => {
    const own = new Set(resourcesOf(template, "AWS::SQS::Queue").map(([id]) => plainId(id)));
    for (const name of functionNames) {
      const sends = permissionsOf(template, name).filter((line) =>
        line.includes("sqs:SendMessage"),
      );
      for (const line of sends) expect(own).toContain(line.split(" ")[2]);
    }
  });

  test("every log group deletes its lines one day", () => {
    for (const [id, { Properties }] of resourcesOf(template, "AWS::Logs::LogGroup")) {
      expect(Properties.RetentionInDays, id).toBeGreaterThan(0);
    }
  });

  test("every function has an alarm on its errors", () => {
    const watched = resourcesOf(template, "AWS::CloudWatch::Alarm").map(([, { Properties }]) =>
      JSON.stringify(Properties.Metrics ?? []),
    );
    for (const [id] of resourcesOf(template, "AWS::Lambda::Function")) {
      const ofErrors = watched.filter((text) => text.includes(id) && text.includes('"Errors"'));
      expect(ofErrors, id).toHaveLength(1);
    }
  });

  test("every queue has dead letters, is one, or loses its messages after a day", () => {
    const queues = resourcesOf(template, "AWS::SQS::Queue");
    const deadLetters = queues.flatMap(([, { Properties }]) =>
      Properties.RedrivePolicy ? [spell(Properties.RedrivePolicy.deadLetterTargetArn)] : [],
    );
    for (const [id, { Properties }] of queues) {
      const isPaired = Properties.RedrivePolicy || deadLetters.includes(plainId(id));
      if (!isPaired) expect(Properties.MessageRetentionPeriod, id).toBe(86_400);
    }
  });
});
