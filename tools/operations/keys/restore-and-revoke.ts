import * as z from "zod";
import { PaycastError } from "../../../shared/paycast-error.ts";
import { proveKeys } from "../calling/prove-keys.ts";
import { describeChange } from "../described/describe.ts";
import type { Planned } from "../described/description.ts";
import { choice, flag, text, withRule } from "../described/fields.ts";
import { readVersionUse } from "../records/version-use.ts";
import type { Target } from "../target/target.ts";
import { changeKeys, type SecretChange } from "./change-keys.ts";
import { fileFault, keyFiles } from "./compose-keys.ts";
import { decideStages, type Refusal } from "./decide-stages.ts";
import { secretKinds } from "./inspect-keys.ts";
import { endReport, instancesText, shownChange, stageTable } from "./preview-keys.ts";
import { asPlanned, planNewKeys } from "./set-keys.ts";
import { merchantField, readMerchantKeys, type StoredKeys } from "./stored-keys.ts";

export const restore = describeChange({
  verb: "restore",
  title: "Go back to the previous keys",
  summary:
    "Makes the previous version current again, when the new keys are wrong: it needs no files. The wrong version is taken out. A version that was revoked is not restored.",
  promises: [
    "It takes one secret back. If both have a previous version, `--only callback` or `--only request` must be given: often only one is wrong, and the previous version of the other may be very old.",
    "A previous version that is not valid is refused, and so are previous callback keys whose time is over: set keys anew. So is one that was revoked, also between the preview and the yes: it has no stage. The preview says how many of the last callbacks each version verified.",
    "If the command is killed between its two moves, run it again: it finishes. A version that was taken out never comes back by it.",
  ],
  input: z.object({
    merchant: merchantField,
    only: choice("which keys go back; must be given if both have a previous version", secretKinds),
  }),
  words: ["merchant"],
  plan: async (target, { merchant, only }): Promise<Planned> => {
    const kinds = only === undefined ? secretKinds : [only];
    const stored = await readMerchantKeys(target, merchant, kinds);
    const [found, second] = stored.filter(({ previous }) => previous !== undefined);
    if (found === undefined) throw new PaycastError("not-found", refusals["no-previous"]("keys"));
    // Often only one of them is wrong, and the previous version of the other may be very old.
    if (second !== undefined) throw new PaycastError("wrong-usage", bothPrevious);
    const change = decided(found, { act: "restore" });
    return await planned(target, "restore", [change], "Go back");
  },
});

const bothPrevious =
  "Both the callback keys and the request keys have a previous version. Say which go back: --only callback or --only request.";

const revokeInput = z.object({
  merchant: merchantField,
  previous: flag("revoke the previous version of both secrets"),
  version: text('revoke this version, as "keys check" shows it', "ID"),
  current: flag("revoke the current version; needs the files of new keys"),
  ...keyFiles,
});

export const revoke = describeChange({
  verb: "revoke",
  title: "Revoke keys",
  summary:
    "Takes a leaked version out: --previous, --version or --current. Functions that run use it for up to five minutes more.",
  promises: [
    "`--previous` takes the previous versions of both secrets out, `--version ID` one version. The current version cannot just go: `--current` with the files of new keys makes these current, and the leaked version has no stage at all. A previous version is not revoked while the current one is not valid, since nothing would verify any more: set keys first.",
    "The functions find versions by their stage. The value itself stays in Secrets Manager until AWS removes versions without a stage, and who may read the secret can still read it by its id. So tell the payment service as well, which has to stop using the leaked key.",
    "If the command is killed between its moves, run it again: it finishes. A `--current` that was killed may then take the version before the leaked one out, too.",
  ],
  input: withRule(revokeInput, versionFault),
  words: ["merchant"],
  requires: "(--previous | --version ID | --current FILES)",
  plan: async (target, { merchant, previous, version, current, ...given }): Promise<Planned> =>
    current
      ? asPlanned(target, await planNewKeys(target, "revoke", { merchant, ...given }))
      : await planRevoke(target, merchant, version),
});

/** What is wrong with the choice of a version, as a predicate; undefined if it is clear. */
function versionFault(asked: z.output<typeof revokeInput>): string | undefined {
  const { merchant: _merchant, previous, version, current, ...given } = asked;
  const ways = [previous, version !== undefined, current].filter((isGiven) => isGiven);
  if (ways.length !== 1) return "must say which version: --previous, --version ID, or --current";
  const areFiles = Object.values(given).some((file) => file !== undefined);
  if (!current) return areFiles ? "must have no files of keys without --current" : undefined;
  return areFiles
    ? fileFault(given)
    : "must have the files of the new keys with --current, such as --callback-keys FILE: without current keys every callback gets the answer 503";
}

/** The previous versions of both secrets, or one version by its id. */
async function planRevoke(
  target: Target,
  merchantId: string,
  wanted: string | undefined,
): Promise<Planned> {
  const stored = await readMerchantKeys(target, merchantId);
  const changes = stored.flatMap((keys) => {
    const { stages } = keys;
    const versionId = wanted ?? stages.previous;
    const isStaged = versionId !== undefined && Object.values(stages).includes(versionId);
    return isStaged ? [decided(keys, { act: "revoke", versionId })] : [];
  });
  const none = wanted === undefined ? nonePrevious : refusals["not-staged"]("");
  if (changes.length === 0) throw new PaycastError("not-found", none);
  return await planned(target, "revoke", changes, "Revoke");
}

const nonePrevious =
  "No secret of this merchant has a previous version, so there is nothing to revoke.";

type StageWish = { act: "restore" } | { act: "revoke"; versionId: string };

/** Throws if it cannot be done. */
function decided(stored: StoredKeys, wish: StageWish): SecretChange {
  const decision = decideStages(stored, wish);
  if ("goal" in decision) return { stored, goal: decision.goal };
  const { refused } = decision;
  const problem = stored.previous?.problem ?? "Their time is over.";
  const code =
    refused === "not-usable" || refused === "only-usable" ? "keys-invalid" : "keys-current";
  throw new PaycastError(code, refusals[refused](stored.kind, problem));
}

const fromFiles = 'Set keys from files with "keys set".';

const refusals: Readonly<Record<Refusal, (kind: string, problem?: string) => string>> = {
  "no-previous": () =>
    `There is no previous version to go back to: there never was one, or it was revoked or taken out. ${fromFiles}`,
  "not-usable": (kind, problem) =>
    `The previous ${kind} keys cannot be used: ${problem} They are not restored. ${fromFiles}`,
  "is-current": (kind) =>
    `This is the current version of the ${kind} keys. It can only be replaced: "keys revoke --current" with the files of the new keys.`,
  "only-usable": (kind) =>
    `The current ${kind} keys are not valid, so the previous ones are the only ones that work. ${fromFiles} Then revoke them.`,
  "not-staged": () =>
    "No secret of this merchant has this version under a stage, so no function uses it. The versions there are: npx paycast keys check.",
};

async function planned(
  target: Target,
  act: "restore" | "revoke",
  changes: readonly SecretChange[],
  yes: string,
): Promise<Planned> {
  const versions = changes.flatMap(({ stored: { kind, current, previous } }) =>
    kind === "callback" ? [current, previous] : [],
  );
  const asked = versions.filter((version) => version !== undefined);
  const use = asked.length === 0 ? undefined : await readVersionUse(target, asked);
  const lines = await proofLines(target, act, changes);
  const unknown = use?.problem && [`Which version is used is not known. ${use.problem}`];
  const report = {
    lines: [`The versions of the keys, and what they are then:`],
    table: stageTable(changes, target, use),
    below: [...(unknown ?? []), ...lines, instancesText(target.kind)],
    data: { act, changes: changes.map(shownChange), problem: use?.problem },
    isGood: true,
  };
  return {
    report,
    yes,
    act: async (actual) =>
      endReport(
        { ...report, below: lines },
        changes,
        await changeKeys(actual, act, changes),
        actual,
      ),
  };
}

/** Whether the service accepts request keys that become current. */
async function proofLines(
  target: Target,
  act: string,
  changes: readonly SecretChange[],
): Promise<string[]> {
  const [{ stored, goal } = {}] = act === "restore" ? changes : [];
  const { previous } = stored ?? {};
  if (stored?.kind !== "request" || previous?.versionId !== goal?.current) return [];
  const proof = previous && (await proveKeys(target, stored.merchantId, previous));
  return proof === undefined ? [] : [`The previous request keys are ${proof.text}`];
}
