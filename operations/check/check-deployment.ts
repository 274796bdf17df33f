import { setTimeout as wait } from "node:timers/promises";
import { PaycastError } from "../../shared/paycast-error.ts";
import { explainAwsError } from "../target/explain-aws-error.ts";
import type { Target } from "../target/target.ts";
import { alarmChecks } from "./alarm-checks.ts";
import { apiCheck } from "./api-check.ts";
import { attentionCheck } from "./attention-check.ts";
import { captureCheck } from "./capture-check.ts";
import { clockCheck } from "./clock-check.ts";
import type { Check, CheckContext, Finding } from "./finding.ts";
import { functionChecks } from "./function-checks.ts";
import { keyChecks } from "./key-checks.ts";
import { mappingCheck } from "./mapping-check.ts";
import { overdueCheck } from "./overdue-check.ts";
import { operatorsCheck, queueChecks } from "./queue-checks.ts";
import { stackChecks } from "./stack-checks.ts";
import { storefrontCheck } from "./storefront-check.ts";
import { tableChecks } from "./table-checks.ts";

/** Few at a time: AWS throttles its control plane sooner than its data plane. */
const atOnce = 4;

/** All checks of a target. What a local stack does not have, such as alarms, is not checked. */
function checksOf(target: Target): readonly Check[] {
  const everywhere = [
    apiCheck,
    clockCheck,
    ...keyChecks(target),
    ...queueChecks(target),
    ...tableChecks(target),
    ...storefrontCheck(target),
    attentionCheck,
    overdueCheck,
    ...captureCheck(target),
  ];
  if (target.kind === "local") return everywhere;
  const ofAws = [...functionChecks(target), mappingCheck, ...alarmChecks, operatorsCheck];
  return [...stackChecks, ...ofAws, ...everywhere];
}

/** Answers every check, in a fixed order. One that fails does not stop the others. */
export async function checkDeployment(
  target: Target,
  context: CheckContext,
  onProgress: (done: number, all: number) => void = () => {},
): Promise<readonly Finding[]> {
  const checks = checksOf(target);
  const findings: (readonly Finding[])[] = checks.map(() => []);
  const queue = [...checks.entries()];
  let done = 0;
  const work = async () => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const [index, check] = next;
      findings[index] = await runCheck(check, target, context);
      done += 1;
      onProgress(done, checks.length);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return findings.flat();
}

async function runCheck(
  { name: check, run }: Check,
  target: Target,
  context: CheckContext,
): Promise<readonly Finding[]> {
  const limit = new AbortController();
  try {
    const verdicts = await Promise.race([
      run(target, context),
      endAfter(context.limitMilliseconds, limit.signal),
    ]);
    return verdicts.map((verdict) => ({ check, ...verdict }));
  } catch (error) {
    return [{ check, status: "problem", message: messageOf(error) }];
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
