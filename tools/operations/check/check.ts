import { setTimeout as wait } from "node:timers/promises";
import * as z from "zod";
import packageJson from "../../../package.json" with { type: "json" };
import { PaycastError } from "../../../shared/errors/paycast-error.ts";
import { describeLook } from "../described/describe.ts";
import type { OperationGroup, Report } from "../described/description.ts";
import { explainAwsError } from "../explain-error.ts";
import { fewAtOnce } from "../few-at-once.ts";
import type { Target } from "../ports/target.ts";
import { apiCheck } from "./api-checks.ts";
import { backgroundCheck } from "./background-check.ts";
import { clockCheck } from "./clock-check.ts";
import { concurrencyCheck } from "./concurrency-check.ts";
import { driftCommand, revertDriftCommand } from "./drift-commands.ts";
import { intakeCheck, storefrontCheck } from "./failure-checks.ts";
import type { Check, CheckContext, Finding, FindingStatus } from "./finding.ts";
import { keyChecks } from "./key-checks.ts";
import { operatorsCheck } from "./operators-check.ts";
import { queueChecks } from "./queue-checks.ts";
import {
  alarmCheck,
  deploymentCheck,
  functionChecks,
  mappingCheck,
  versionsCheck,
} from "./stack-checks.ts";
import { stampKeyCheck } from "./stamp-check.ts";
import { attentionCheck, captureCheck, overdueCheck } from "./work-checks.ts";

const limitMilliseconds = 30_000;

const look = describeLook({
  summary:
    "Checks a deployment: keys, queues, dead letters and other waiting work, functions, alarms, the API, clocks and versions. Each line is ok, a warning, or a problem with what to do. It changes nothing. The exit code is 1 if there is a problem; warnings alone are 0.",
  input: z.object({}),
  look: async (target, _input, { tell }): Promise<Report<readonly Finding[]>> => {
    const { version: commandVersion } = packageJson;
    const context = { now: Date.now, fetch, commandVersion, limitMilliseconds };
    const findings = await checkDeployment(target, context, (done, all) =>
      tell(`Checking: ${done} of ${all}`),
    );
    const count = (wanted: FindingStatus) =>
      findings.filter(({ status }) => status === wanted).length;
    return {
      lines: [],
      table: { head: ["status", "check", "found"], rows: findings.flatMap(rowsOf) },
      below: [
        `Problems: ${count("problem")}. Warnings: ${count("warning")}. Ok: ${count("ok")}.`,
        ...driftLines(target),
      ],
      data: findings,
      isGood: count("problem") === 0,
    };
  },
});

/** What CloudFormation compares. The local stack is made from the template at each start. */
function driftLines({ stack }: Pick<Target, "stack">): readonly string[] {
  if (stack.kind === "local") return [];
  return [
    `This does not compare resources with the template. To compare them: ${driftCommand(stack)} To revert changes: ${revertDriftCommand(stack)}`,
  ];
}

const tones = { ok: "good", warning: "open", problem: "bad" } as const;

function rowsOf({ check: name, status, message, action }: Finding) {
  const row = [{ text: status, tone: tones[status] }, name, message];
  return action === undefined ? [row] : [row, ["", "", `-> ${action}`]];
}

export const check: OperationGroup = {
  name: "check",
  about: [],
  operations: [look],
  examples: [
    "check",
    "check --stack Paycast",
    `check --stack Paycast --json | jq '.[] | select(.status != "ok")'`,
  ],
};

/** Few at a time: AWS throttles its control plane sooner than its data plane. */
const atOnce = 4;

/** All checks of a target. What a local stack does not have, such as alarms, is not checked. */
function checksOf(target: Target): readonly Check[] {
  const everywhere = [
    apiCheck,
    clockCheck,
    ...keyChecks(target),
    stampKeyCheck,
    ...queueChecks(target),
    intakeCheck,
    ...storefrontCheck(target),
    backgroundCheck,
    attentionCheck,
    overdueCheck,
    ...captureCheck(target),
  ];
  if (target.stack.kind === "local") return everywhere;
  const ofFunctions = [...functionChecks(target), concurrencyCheck];
  const ofAws = [...ofFunctions, mappingCheck, alarmCheck, operatorsCheck];
  return [deploymentCheck, versionsCheck, ...ofAws, ...everywhere];
}

/** Runs every check, in a fixed order. One that fails does not stop the others. */
export async function checkDeployment(
  target: Target,
  context: CheckContext,
  onProgress: (done: number, all: number) => void = () => {},
): Promise<readonly Finding[]> {
  const checks = checksOf(target);
  let done = 0;
  const runNext = async (next: Check) => {
    const findings = await runCheck(next, target, context);
    done += 1;
    onProgress(done, checks.length);
    return findings;
  };
  return (await fewAtOnce(checks, runNext, atOnce)).flat();
}

async function runCheck(
  { name, run }: Check,
  target: Target,
  context: CheckContext,
): Promise<readonly Finding[]> {
  const limit = new AbortController();
  try {
    const verdicts = await Promise.race([
      run(target, context),
      endAfter(context.limitMilliseconds, limit.signal),
    ]);
    return verdicts.map((verdict) => ({ check: name, ...verdict }));
  } catch (error) {
    return [{ check: name, status: "problem", message: messageOf(error) }];
  } finally {
    limit.abort();
  }
}

async function endAfter(milliseconds: number, signal: AbortSignal): Promise<never> {
  await wait(milliseconds, undefined, { signal });
  const message = `There was no response within ${milliseconds / 1000} seconds. Check the network, then run it again.`;
  throw new PaycastError("aws-unreachable", message);
}

function messageOf(error: unknown): string {
  const known = error instanceof PaycastError ? error : explainAwsError(error);
  return known?.message ?? `This check failed unexpectedly, please report it: ${String(error)}`;
}
