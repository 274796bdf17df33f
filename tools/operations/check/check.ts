import { setTimeout as wait } from "node:timers/promises";
import * as z from "zod";
import packageJson from "../../../package.json" with { type: "json" };
import { PaycastError } from "../../../shared/paycast-error.ts";
import { describeLook } from "../described/describe.ts";
import type { OperationGroup, Report } from "../described/description.ts";
import { fewAtOnce } from "../few-at-once.ts";
import { explainAwsError } from "../target/explain-error.ts";
import type { Target } from "../target/target.ts";
import { apiCheck, clockCheck } from "./api-checks.ts";
import type { Check, CheckContext, Finding, FindingStatus } from "./finding.ts";
import { keyChecks } from "./key-checks.ts";
import { operatorsCheck, queueChecks } from "./queue-checks.ts";
import {
  alarmCheck,
  deploymentCheck,
  functionChecks,
  mappingCheck,
  versionsCheck,
} from "./stack-checks.ts";
import { stampKeyCheck } from "./stamp-check.ts";
import { tableChecks } from "./table-checks.ts";
import { attentionCheck, captureCheck, overdueCheck, storefrontCheck } from "./work-checks.ts";

const limitMilliseconds = 30_000;

const look = describeLook({
  summary:
    "Tells whether a deployment is sound: keys, queues and who may read them, dead letters, tables, functions, alarms, the API, clocks and versions. Each line is ok, a warning or a problem with what to do. It changes nothing. A check that may not look says which permission is missing, and the others go on. On the local stack, what only AWS has (functions, alarms, policies, backups) is left out. A problem is exit code 1; warnings alone are 0.",
  promises: [
    "No check stops another. Not being allowed to read the request keys is no fault. If no answer comes within 30 seconds, a check ends as a problem.",
    "What it does not promise: the stack does not tell which accounts your config lets read a queue, and which roles are operators, so both are listed for you to compare. Of what a send needs it reads the queue and its policy, not the policies of the function's role: a permission that is missing there shows as a subscriber that refuses. SQS counts messages approximately.",
  ],
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
      below: [`Problems: ${count("problem")}. Warnings: ${count("warning")}. Ok: ${count("ok")}.`],
      data: findings,
      isGood: count("problem") === 0,
    };
  },
});

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
    ...tableChecks(target),
    ...storefrontCheck(target),
    attentionCheck,
    overdueCheck,
    ...captureCheck(target),
  ];
  if (target.kind === "local") return everywhere;
  const ofAws = [...functionChecks(target), mappingCheck, alarmCheck, operatorsCheck];
  return [deploymentCheck, versionsCheck, ...ofAws, ...everywhere];
}

/** Answers every check, in a fixed order. One that fails does not stop the others. */
export async function checkDeployment(
  target: Target,
  context: CheckContext,
  onProgress: (done: number, all: number) => void = () => {},
): Promise<readonly Finding[]> {
  const checks = checksOf(target);
  let done = 0;
  const answer = async (one: Check) => {
    const findings = await runCheck(one, target, context);
    done += 1;
    onProgress(done, checks.length);
    return findings;
  };
  return (await fewAtOnce(checks, answer, atOnce)).flat();
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
  const message = `There was no answer within ${milliseconds / 1000} seconds. Check the network, then run it again.`;
  throw new PaycastError("aws-unreachable", message);
}

function messageOf(error: unknown): string {
  const known = error instanceof PaycastError ? error : explainAwsError(error);
  return known?.message ?? `This check has a fault of its own, please report it: ${String(error)}`;
}
