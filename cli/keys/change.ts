import type { GivenKeys } from "../../operations/keys/compose-keys.ts";
import { type KeysAct, type KeysPlan, planKeys } from "../../operations/keys/plan-keys.ts";
import { type StoredChange, storeKeys } from "../../operations/keys/store-keys.ts";
import type { Target } from "../../operations/target/target.ts";
import type { TargetValues } from "../frame/choose-stack.ts";
import { type ExitCode, exitCodes, type Terminal } from "../frame/command.ts";
import { parseArguments } from "../frame/parse-options.ts";
import { changeOptions, print, withTargetToChange } from "../frame/target-command.ts";
import { missingWords, planText, planView, storedText } from "./change-text.ts";
import { fileOptions, readKeyFiles } from "./key-files.ts";

const rotateOptions = {
  ...changeOptions,
  ...fileOptions,
  force: { type: "boolean" },
  unproven: { type: "boolean" },
} as const;
const setOptions = { ...rotateOptions, correct: { type: "boolean" } } as const;

/** `keys set MERCHANT ...` */
export async function runSet(args: readonly string[], terminal: Terminal): Promise<ExitCode> {
  const { values, words } = parseArguments(args, setOptions, ["MERCHANT"]);
  const act = values.correct === true ? "correct" : "set";
  return await runChange(act, words, values, terminal);
}

/** `keys rotate MERCHANT ...` */
export async function runRotate(args: readonly string[], terminal: Terminal): Promise<ExitCode> {
  const { values, words } = parseArguments(args, rotateOptions, ["MERCHANT"]);
  return await runChange("rotate", words, values, terminal);
}

type ChangeValues = Parameters<typeof readKeyFiles>[0] &
  TargetValues & {
    readonly yes?: boolean | undefined;
    readonly force?: boolean | undefined;
    readonly unproven?: boolean | undefined;
  };

/** Shows what would be stored, and stores it with `--yes`. */
export async function runChange(
  act: KeysAct,
  [merchantId = ""]: readonly string[],
  values: ChangeValues,
  terminal: Terminal,
): Promise<ExitCode> {
  const given = await readKeyFiles(values);
  return await withTargetToChange(values, terminal, async (target) => {
    const change = await planAndStore(target, { act, merchantId, given, values });
    const { plan, stored } = change;
    print(terminal, values, { ...planView(plan), ...(stored && { stored }) }, () =>
      [planText(plan, terminal.colours), storedText(change, values, target.kind)].join(""),
    );
    return exitCodeOf(change, values);
  });
}

export interface Change {
  readonly plan: KeysPlan;
  /** Undefined if nothing was stored. */
  readonly stored: readonly StoredChange[] | undefined;
}

interface Wanted {
  readonly act: KeysAct;
  readonly merchantId: string;
  readonly given: GivenKeys;
  readonly values: ChangeValues;
}

async function planAndStore(target: Target, wanted: Wanted): Promise<Change> {
  const { act, merchantId, given, values } = wanted;
  const plan = await planKeys(target, { merchantId, act, given });
  const isWanted = values.yes === true && missingWords(plan, values).length === 0;
  const stored = isWanted && plan.changes.length > 0 ? await storeKeys(target, plan) : undefined;
  return { plan, stored };
}

/** To set keys that are set already is done; to rotate to them, or to revoke them so, is not. */
function exitCodeOf({ plan, stored = [] }: Change, values: ChangeValues): ExitCode {
  const isRefused = missingWords(plan, values).length > 0;
  const isLost = stored.some(({ outcome }) => outcome === "lost");
  const isSame = plan.changes.length === 0 && (plan.act === "rotate" || plan.act === "revoke");
  return isRefused || isLost || isSame ? exitCodes.negative : exitCodes.success;
}
