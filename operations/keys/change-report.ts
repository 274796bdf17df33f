import type { Report, Section } from "../described/description.ts";
import type { Target } from "../target/target.ts";
import { type KeysPlan, lacksProof } from "./plan-keys.ts";
import type { SecretChange } from "./secret-change.ts";
import type { StoredChange } from "./store-keys.ts";
import { aesText, holdersText, instancesText, profileText, rsaText } from "./words.ts";

const doubt = "If the service does not accept them, it refuses every new order.";

/** What would be stored, and what speaks against it. `missing` are the options with which an operator insists. */
export function changePreview(plan: KeysPlan, missing: readonly string[]): Report {
  const { merchantId, changes, unchanged, warnings, objections, proof } = plan;
  const isProofMissing = lacksProof(plan);
  const proven = proof && `The new request keys are ${proof.text}`;
  return {
    lines: unchanged.map((kind) => `The ${kind} keys of ${merchantId} are these already.`),
    sections: changes.map((change) => changeSection(merchantId, change)),
    below: [
      ...warnings.map((warning) => `Warning: ${warning}`),
      ...objections.map((objection) => `Not now: ${objection}`),
      ...(proven ? [isProofMissing ? `Not now: ${proven} ${doubt}` : proven] : []),
      ...(missing.length > 0
        ? [`Nothing was changed. To do it all the same, add ${missing.join(" ")}.`]
        : sameLines(plan)),
    ],
    data: planView(plan),
    isGood: missing.length === 0 && (changes.length > 0 || !isNewNeeded(plan)),
  };
}

/** Setting the stored keys again succeeds. Rotating or revoking without a change exits with 1. */
function isNewNeeded({ act }: KeysPlan): boolean {
  return act === "rotate" || act === "revoke";
}

function sameLines({ changes, act }: KeysPlan): string[] {
  if (changes.length > 0) return [];
  if (act !== "revoke") return ["Nothing was changed."];
  return [
    'Nothing was changed: a leaked version is replaced by other keys. If an earlier run was stopped and left it as the previous version, run "keys revoke --previous".',
  ];
}

/** Everything but the keys. */
function planView({ changes, ...plan }: KeysPlan) {
  return {
    ...plan,
    changes: changes.map(({ facts, text: _text, stored: _stored, inspection: _, ...shown }) => {
      return { ...shown, keys: facts };
    }),
  };
}

function changeSection(merchantId: string, change: SecretChange): Section {
  const { kind, facts, versionId, secretId } = change;
  return {
    title: `New ${kind} keys for ${merchantId}, parsed and tried:`,
    facts: [
      ["secret", secretId],
      ["new version", versionId],
      ["RSA key", `${rsaText(facts)}${before(change, "fingerprint")}`],
      ["AES key", `${aesText(facts)}${before(change, "aesFingerprint")}`],
      ["profile", profileText(facts)],
      ["then", effectOf(change)],
    ],
  };
}

function before({ stored, facts }: SecretChange, print: "fingerprint" | "aesFingerprint"): string {
  const inspection = stored.current?.inspection;
  if (inspection?.kind !== "good") return "";
  const now = inspection.facts[print];
  return now === facts[print] ? " (as now)" : ` (now ${now})`;
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
export function changeOutcome(
  planned: Report,
  { changes }: KeysPlan,
  stored: readonly StoredChange[],
  target: Target,
): Report {
  const isLost = stored.some((one) => one.outcome === "lost");
  const left = changes.slice(stored.length).map(({ kind }) => kind);
  return {
    ...planned,
    below: [
      ...(planned.below ?? []),
      ...stored.map(storedLine),
      ...left.map((kind) => `The ${kind} keys were left as they are.`),
      ...(isLost ? [] : [effectText(changes, target)]),
    ],
    data: { ...planned.data, stored },
    isGood: !isLost,
  };
}

/** Without keys an instance asks for them at each callback, so the first ones are in use sooner than later ones. */
function effectText(changes: readonly SecretChange[], { kind }: Target): string {
  return changes.every(({ way }) => way === "first")
    ? "Functions that already run use them within a minute."
    : instancesText(kind);
}

function storedLine({ kind, outcome: end, holders, versionId }: StoredChange): string {
  const now = holdersText(holders);
  if (end === "stored") return `The new ${kind} keys are current. ${now}`;
  const isCurrent = holders.current === versionId ? "are current" : "are NOT current";
  return `Another command changed the ${kind} keys at the same time. Your keys ${isCurrent}. ${now} Look with "keys check", then decide.`;
}
