import * as z from "zod";
import { describeChange } from "../described/describe.ts";
import type { Planned, Report, Section } from "../described/description.ts";
import { flag, withRule } from "../described/fields.ts";
import type { Target } from "../target/target.ts";
import { fileFault, type GivenKeys, keyFiles } from "./compose-keys.ts";
import { keyRows } from "./inspect-keys.ts";
import { holdersText, instancesText } from "./move-stages.ts";
import {
  isNewNeeded,
  type KeysAct,
  type KeysPlan,
  lacksProof,
  planKeys,
  type SecretChange,
} from "./plan-keys.ts";
import { type StoredChange, storeKeys } from "./store-keys.ts";
import { merchantField } from "./stored-keys.ts";

/** What lets an operator insist. */
const insisting = {
  force: flag("also if previous keys that are still in use are taken out by it"),
  unproven: flag(
    "also if the payment service does not accept the new request keys, or cannot be asked",
  ),
};

export const set = describeChange({
  verb: "set",
  title: "Set keys",
  summary:
    "Stores keys. They are parsed and tried first, put in as AWSPENDING, read back, and only then made current. The version before them becomes the previous one and verifies callbacks for its time. If the version before them is not valid, it is taken out, and a good previous one stays. Request keys that replace good ones are proven before they become current.",
  promises: [
    "Keys come from files only. Before anything is written, all keys are parsed and tried under the profile that goes with them. A private key in the callback keys, a key with a passphrase, a key of another kind and the merchant's own public key in place of the service's are refused, with what to do.",
    "The new version is put in as `AWSPENDING`, read back and tried, and only then becomes current. If the command is killed before, the functions use the keys of before, `keys check` tells of the pending version, and the next `keys set` replaces it.",
    "A version that was staged more than a day ago does not become current: the same keys are written as a new version, because the time of the previous keys counts from the creation of the current one.",
    "If the current version is not valid, or with `--correct`, the current version is taken out, and a good previous version stays the previous one as long as its time is not over. The previous keys verify at every moment, also if the command is killed.",
    "Of two commands at the same time one wins. The other says that its keys are not current, and exits with 1.",
    "The keys that are there already are not stored again: that would push the previous version out. Setting the stored keys again succeeds. Rotating or revoking without a change exits with 1.",
    "The callback keys are stored first. If the command ends between the two secrets, run it again: it does what is left. Functions that already run use the first keys of a secret within a minute, and others after up to five minutes.",
  ],
  input: withRule(
    z.object({
      merchant: merchantField,
      ...keyFiles,
      correct: flag(
        "the current version was a mistake: take it out, do not keep it as the previous one",
      ),
      ...insisting,
    }),
    fileFault,
  ),
  words: ["merchant"],
  requires: "FILES",
  plan: (target, { correct, ...asked }) => planChange(target, correct ? "correct" : "set", asked),
});

/**
 * The way of a rotation: the command reads the files (tools/cli/frame/described-command.ts). `planKeys` composes the new
 * versions, tries them, and asks the service a question with new request keys. The operator sees the preview and says
 * yes. `storeKeys` leaves an audit line, puts each version in as AWSPENDING, reads it back, and moves the stages: the new
 * version becomes current and the current one the previous one.
 */
export const rotate = describeChange({
  verb: "rotate",
  title: "Rotate keys",
  summary: "Replaces good keys, in the same way as `keys set`. The new keys must be other keys.",
  promises: [
    "The same command again stores nothing and exits with 1. After one that was interrupted, it does what is left.",
    "It tells until when both verify. If the previous version of an earlier rotation still verified a callback in the last 24 hours, a new rotation would take it out, so it is refused unless you add `--force`.",
    "Here and in `keys set`, request keys that replace good ones must be proven before they become current, by the same question as in `keys check`: with keys that the service does not accept, nobody could buy any more. So the service must accept the new keys first, beside the old ones. Where it cannot, or where there is no payment to ask about yet, the preview says why they are not proven, and `--unproven` makes them current all the same.",
    "The order of a rotation: agree with the payment service when it changes; `keys rotate`; then the service changes; `keys check` until the previous version is not used any more; then nothing, or `keys revoke --previous`.",
  ],
  input: withRule(z.object({ merchant: merchantField, ...keyFiles, ...insisting }), fileFault),
  words: ["merchant"],
  requires: "FILES",
  plan: (target, asked) => planChange(target, "rotate", asked),
});

interface Asked extends GivenKeys {
  readonly merchant: string;
  readonly force?: boolean;
  readonly unproven?: boolean;
}

/** Shows what would be stored; `act` shows the same with how it ended. */
export async function planChange(target: Target, act: KeysAct, asked: Asked): Promise<Planned> {
  const { merchant: merchantId, force, unproven, ...given } = asked;
  const plan = await planKeys(target, { merchantId, act, given });
  const missing = [
    ...(plan.objections.length > 0 && force !== true ? ["--force"] : []),
    ...(lacksProof(plan) && unproven !== true ? ["--unproven"] : []),
  ];
  const canAct = plan.changes.length > 0 && missing.length === 0;
  const report = previewOf(plan, missing);
  return {
    report,
    yes: canAct ? "Store" : undefined,
    act: async (actual) => outcomeOf(report, plan, await storeKeys(actual, plan), actual),
  };
}

/** What would be stored, and what speaks against it. `missing` are the options with which an operator insists. */
function previewOf(plan: KeysPlan, missing: readonly string[]): Report {
  const { merchantId, act, changes, unchanged, warnings, objections } = plan;
  return {
    lines: unchanged.map((kind) => `The ${kind} keys of ${merchantId} are these already.`),
    sections: changes.map((change) => changeSection(merchantId, change)),
    below: [
      ...warnings.map((warning) => `Warning: ${warning}`),
      ...objections.map((objection) => `Not now: ${objection}`),
      ...proofLines(plan),
      ...(missing.length > 0
        ? [`Nothing was changed. To do it all the same, add ${missing.join(" ")}.`]
        : sameLines(plan)),
    ],
    // Everything but the keys.
    data: {
      ...plan,
      changes: changes.map(({ keys: { facts }, text: _text, stored: _stored, ...shown }) => {
        return { ...shown, keys: facts };
      }),
    },
    isGood: missing.length === 0 && (changes.length > 0 || !isNewNeeded(act)),
  };
}

function proofLines(plan: KeysPlan): string[] {
  if (plan.proof === undefined) return [];
  const proven = `The new request keys are ${plan.proof.text}`;
  if (!lacksProof(plan)) return [proven];
  return [`Not now: ${proven} If the service does not accept them, it refuses every new order.`];
}

function sameLines({ changes, act }: KeysPlan): string[] {
  if (changes.length > 0) return [];
  if (act !== "revoke") return ["Nothing was changed."];
  return [
    'Nothing was changed: a leaked version is replaced by other keys. If an earlier run was stopped and left it as the previous version, run "keys revoke --previous".',
  ];
}

function changeSection(merchantId: string, change: SecretChange): Section {
  const { kind, keys, versionId, secretId, stored } = change;
  return {
    title: `New ${kind} keys for ${merchantId}, parsed and tried:`,
    facts: [
      ["secret", secretId],
      ["new version", versionId],
      ...keyRows(keys.facts, stored.current?.keys?.facts),
      ["then", effectOf(change)],
    ],
  };
}

function effectOf({ kind, way, current, kept, stored, verifiesUntil }: SecretChange): string {
  const pushedOut = stored.previous && `; ${stored.previous.versionId} is taken out`;
  switch (way) {
    case "first":
      return "they are the first keys of this secret";
    case "rotate":
      return kind === "callback"
        ? `version ${current} becomes the previous one, and callbacks under both verify until ${verifiesUntil}${pushedOut ?? ""}`
        : `requests are signed with them; version ${current} becomes the previous one and is not used`;
    case "replace":
      return kept === undefined
        ? `version ${current} is taken out, and there is no previous one`
        : `version ${current} is taken out; ${kept} stays the previous one${verifiesUntil === undefined ? "" : ` and verifies until ${verifiesUntil}`}`;
  }
}

/** The same, with how it ended and what is true now. */
function outcomeOf(
  planned: Report,
  { changes }: KeysPlan,
  stored: readonly StoredChange[],
  target: Target,
): Report {
  const isLost = stored.some(({ outcome }) => outcome === "lost");
  const left = changes.slice(stored.length).map(({ kind }) => kind);
  // Without keys an instance asks for them at each callback, so the first ones are in use sooner than later ones.
  const effect = changes.every(({ way }) => way === "first")
    ? "Functions that already run use them within a minute."
    : instancesText(target.kind);
  return {
    ...planned,
    below: [
      ...(planned.below ?? []),
      ...stored.map(storedLine),
      ...left.map((kind) => `The ${kind} keys were left as they are.`),
      ...(isLost ? [] : [effect]),
    ],
    data: { ...planned.data, stored },
    isGood: !isLost,
  };
}

function storedLine({ kind, outcome, holders, versionId }: StoredChange): string {
  const now = holdersText(holders);
  if (outcome === "stored") return `The new ${kind} keys are current. ${now}`;
  const isCurrent = holders.current === versionId ? "are current" : "are NOT current";
  return `Another command changed the ${kind} keys at the same time. Your keys ${isCurrent}. ${now} Look with "keys check", then decide.`;
}
