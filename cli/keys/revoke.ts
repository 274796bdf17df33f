import {
  planRevoke,
  type RevokeChoice,
  type Revoked,
  type RevokePlan,
  revokeKeys,
} from "../../operations/keys/revoke-keys.ts";
import { holdersText, instancesText } from "../../operations/keys/stages-text.ts";
import { printable } from "../../shared/terminal-text.ts";
import { pairs } from "../frame/columns.ts";
import { type ExitCode, exitCodes, type Terminal, UsageError } from "../frame/command.ts";
import { parseArguments } from "../frame/parse-options.ts";
import {
  changeOptions,
  nothingChanged,
  print,
  withTargetToChange,
} from "../frame/target-command.ts";
import { timeText } from "../frame/time-text.ts";
import { runChange } from "./change.ts";
import { fileOptions, namesFiles } from "./key-files.ts";

const options = {
  ...changeOptions,
  ...fileOptions,
  previous: { type: "boolean" },
  current: { type: "boolean" },
  version: { type: "string" },
} as const;

type Values = ReturnType<typeof parseArguments<typeof options>>["values"];

/** `keys revoke MERCHANT (--previous | --version ID | --current FILES)` */
export async function runRevoke(args: readonly string[], terminal: Terminal): Promise<ExitCode> {
  const { values, words } = parseArguments(args, options, ["MERCHANT"]);
  const choice = choiceOf(values);
  if (choice === "current") return await runChange("revoke", words, values, terminal);
  const [merchantId = ""] = words;
  return await withTargetToChange(values, terminal, async (target) => {
    const plan = await planRevoke(target, merchantId, choice);
    const revoked = values.yes === true ? await revokeKeys(target, plan) : undefined;
    print(terminal, values, { ...plan, ...(revoked && { revoked }) }, () =>
      [planText(plan, Date.now()), endText(revoked, target.kind)].join(""),
    );
    const isLost = revoked?.some(({ outcome }) => outcome === "lost");
    return isLost ? exitCodes.negative : exitCodes.success;
  });
}

function choiceOf(values: Values): RevokeChoice | "current" {
  const { previous, current, version } = values;
  const given = [previous === true, current === true, version !== undefined].filter(Boolean);
  if (given.length !== 1) {
    throw new UsageError("Say which version: --previous, --version ID, or --current.");
  }
  if (current === true) {
    if (namesFiles(values)) return "current";
    throw new UsageError(
      "Without current keys every callback gets the answer 503. Give the files of the new keys too, such as --callback-keys FILE.",
    );
  }
  if (namesFiles(values)) throw new UsageError("Files of keys go with --current only.");
  return version === undefined ? { previous: true } : { versionId: version };
}

function planText(
  { merchantId, revocations, lookedSince }: RevokePlan,
  nowMilliseconds: number,
): string {
  const texts = revocations.map(({ kind, stage, versionId, secretId, fingerprint, lastUsedAt }) => {
    const unused = `by no callback that was recorded since ${lookedSince}`;
    const isUsed = kind === "callback" && stage === "previous";
    const used = lastUsedAt === undefined ? unused : timeText(lastUsedAt, nowMilliseconds);
    const lines = pairs([
      ["  secret", secretId],
      ["  version", versionId],
      ["  RSA key", fingerprint && `SHA-256 ${fingerprint}`],
      ["  last used", isUsed ? used : undefined],
    ]);
    return `The ${stage} ${kind} keys of ${printable(merchantId)} lose their stage:\n${lines}`;
  });
  return texts.join("");
}

function endText(revoked: readonly Revoked[] | undefined, target: "local" | "deployed"): string {
  if (revoked === undefined) return nothingChanged;
  const lines = revoked.map(({ kind, outcome, holders }) => {
    const now = holdersText(holders);
    return outcome === "revoked"
      ? `The version of the ${kind} keys has no stage any more. ${now}\n`
      : `Another command moved the stage of the ${kind} keys first. ${now} Look with "keys check".\n`;
  });
  return `${lines.join("")}${instancesText(target)}\n`;
}
