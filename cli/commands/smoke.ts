import { planSmoke, type SmokePlan } from "../../operations/smoke/plan-smoke.ts";
import { runSmoke, type SmokeResult } from "../../operations/smoke/run-smoke.ts";
import { makeSmokeKeys } from "../../operations/smoke/smoke-keys.ts";
import type { Target } from "../../operations/target/target.ts";
import type { Colours } from "../../shared/terminal-text.ts";
import { pairs } from "../frame/columns.ts";
import {
  type Command,
  type ExitCode,
  exitCodes,
  exitCodesText,
  type Terminal,
  UsageError,
} from "../frame/command.ts";
import { parseOptions } from "../frame/parse-options.ts";
import { createProgress } from "../frame/progress.ts";
import {
  changeHelp,
  changeOptions,
  nothingChanged,
  print,
  withTargetToChange,
} from "../frame/target-command.ts";

/** `npx paycast smoke`: one callback of a merchant for tests, through the whole stack. */
export const smoke: Command = { help: helpText(), run };

const options = { ...changeOptions, timeout: { type: "string" } } as const;
type Values = ReturnType<typeof parseOptions<typeof options>>;

const usualTimeoutSeconds = 120;
const longestTimeoutSeconds = 600;
/** Longer than any run, so that no run takes the event of another that still waits for it. */
const leftoverMilliseconds = 15 * 60_000;

async function run(args: readonly string[], terminal: Terminal): Promise<ExitCode> {
  const values = parseOptions(args, options);
  const timeoutMilliseconds = 1000 * timeoutOf(values);
  return await withTargetToChange(values, terminal, async (target) => {
    if (values.yes !== true) return preview(target, values, terminal);
    return await test(target, values, timeoutMilliseconds, terminal);
  });
}

function timeoutOf({ timeout = String(usualTimeoutSeconds) }: Values): number {
  const seconds = /^\d{1,3}$/.test(timeout) ? Number(timeout) : 0;
  if (seconds >= 1 && seconds <= longestTimeoutSeconds) return seconds;
  throw new UsageError(`--timeout must be 1 to ${longestTimeoutSeconds} seconds.`);
}

/** Not 0: a script that forgot --yes must not take it for a test that has passed. */
function preview(target: Target, values: Values, terminal: Terminal): ExitCode {
  const plan = planSmoke(target);
  print(terminal, values, { done: false, ...plan }, () => `${planText(plan)}\n${nothingChanged}`);
  return exitCodes.negative;
}

function planText({ merchantId, callbackUrl, callbackKeys, queueUrl }: SmokePlan): string {
  return `A smoke test would
  store new keys of merchant ${merchantId} in ${callbackKeys},
  post one callback of that merchant twice to ${callbackUrl},
  take its event from ${queueUrl}, and delete the event, its record and its order.
`;
}

async function test(
  target: Target,
  values: Values,
  timeoutMilliseconds: number,
  terminal: Terminal,
): Promise<ExitCode> {
  const progress = createProgress(terminal);
  const result = await runSmoke(target, {
    timeoutMilliseconds,
    signal: terminal.stopped,
    now: Date.now,
    fetch,
    makeKeys: makeSmokeKeys,
    leftoverMilliseconds,
    onStage: progress.tell,
  }).finally(progress.end);
  print(terminal, values, result, () => resultText(result, terminal.colours));
  return result.passed ? exitCodes.success : exitCodes.negative;
}

function resultText(result: SmokeResult, colours: Colours): string {
  const { orderNo, leftovers, notCleaned } = result;
  const left = leftovers === 0 ? undefined : `${leftovers} events of earlier runs, now deleted`;
  const common = [
    ["order", orderNo],
    ["left over", left],
    ["not deleted", notCleaned],
  ] as const;
  if (result.passed) {
    return pairs([
      ["result", colours.green("passed")],
      ["stored after", `${result.answeredMilliseconds} ms, with request ${result.attempts}`],
      ["event after", `${result.eventMilliseconds} ms more`],
      ...common,
    ]);
  }
  return pairs([
    ["result", colours.red(`failed: ${result.stage}`)],
    ["what", result.message],
    ["to do", result.action],
    ...common,
  ]);
}

function helpText(): string {
  return `Usage: npx paycast smoke [--timeout SECONDS] [--yes] [--stack NAME] [--json]

Tests a running stack from end to end. A merchant that exists only for this sends one callback of a paid
order, twice, through the API, the inbox and the tables, and its one event arrives in a queue of its own.
No other subscriber gets the event. What is left of it is deleted, also after a failure or Ctrl-C.
The stack needs "smoke": true in its config.

Options
  --timeout SECONDS   how long to wait for the event, 1 to 600; 120 if left out
${changeHelp}

A stack that was tested less than a minute ago may take a minute: its instances ask for new keys only so often.

Examples
  npx paycast smoke --yes
  npx paycast smoke --stack Paycast --timeout 180 --yes --json

${exitCodesText}
            Without --yes nothing is tested, and it ends with 1.
`;
}
