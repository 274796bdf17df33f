import { randomUUID } from "node:crypto";
import * as z from "zod";
import { PaycastError } from "../../../shared/errors/paycast-error.ts";
import { type Proof, proveKeys } from "../calling/prove-keys.ts";
import { describeChange } from "../described/describe.ts";
import type { Planned } from "../described/description.ts";
import { flag, withRule } from "../described/fields.ts";
import type { Target } from "../ports/target.ts";
import { composeKeys, fileFault, type GivenKeys, keyFiles } from "../secrets/compose-keys.ts";
import { inspectKeys, keysInvalid } from "../secrets/inspect-keys.ts";
import {
  type ChangedKeys,
  compareKeys,
  hasSamePrevious,
  isSameValue,
  warningsAbout,
} from "../secrets/key-doubts.ts";
import {
  merchantField,
  type NewVersion,
  readMerchantKeys,
  type StoredKeys,
} from "../secrets/stored-keys.ts";
import { changeKeys } from "./apply-stages.ts";
import { decideStages, isUnfinished, type SecretChange, type Wish } from "./decide-stages.ts";
import { findObjections, refuseRevoked } from "./find-objections.ts";
import { endReport, lacksProof, type NewKeysPlan, previewOf, type SetAct } from "./preview-keys.ts";

export const unprovenFlag = flag(
  "even if the payment service does not accept the new request keys, or cannot be queried",
);

export const set = describeChange({
  verb: "set",
  title: "Set keys",
  summary:
    "Stores or rotates keys. New keys are parsed and tried before they become current. The version before them becomes the previous one, and its callback keys keep verifying for their time. Request keys that replace valid ones are first proven by a query to the payment service.",
  input: withRule(
    z.object({
      merchant: merchantField,
      ...keyFiles,
      correct: flag("the current version was a mistake: do not keep it as the previous one"),
      force: flag(
        "even if this removes previous keys that are still in use, or if the keys were revoked",
      ),
      unproven: unprovenFlag,
    }),
    fileFault,
  ),
  words: ["merchant"],
  requires: "FILES",
  plan: async (target, { correct, ...asked }) =>
    asPlanned(target, await planNewKeys(target, correct ? "correct" : "set", asked)),
});

type Asked = GivenKeys & { merchant: string; force?: boolean; unproven?: boolean };

/**
 * What would be stored, and how. All keys are parsed and tried here, and new request keys are tried with a query to the
 * service, before anything is written. Throws `keys-invalid`, `keys-unset` or `profile-invalid`.
 */
export async function planNewKeys(
  target: Pick<Target, "stack" | "clock" | "orders" | "records" | "keys">,
  act: SetAct,
  { merchant: merchantId, force, unproven, ...given }: Asked,
): Promise<NewKeysPlan> {
  const stored = await readMerchantKeys(target, merchantId);
  refuseWithoutRequestKeys(stored, given);
  const composed = stored.flatMap((keys) => composedFor(keys, given) ?? []);
  if (composed.length === 0) throw keysInvalid(nothingGiven);
  const changes = composed.flatMap(({ keys, added }) => changeOf(keys, added, act) ?? []);
  const changed = changes.map(({ stored: { kind } }) => kind);
  const unchanged = composed
    .map(({ keys: { kind } }) => kind)
    .filter((kind) => !changed.includes(kind));
  const warnings = [
    ...warningsAbout(stored.map((keys) => changedKeys(keys, changes))),
    ...(act === "revoke" ? changes.flatMap(leakedWarning) : []),
  ];
  if (act === "revoke") await refuseRevoked(target, changes);
  const objections = await findObjections(target, changes);
  const proof = await proofOf(target, merchantId, changes);
  const missing = [
    ...(objections.length > 0 && force !== true ? ["--force"] : []),
    ...(lacksProof(changes, proof) && unproven !== true ? ["--unproven"] : []),
  ];
  return { merchantId, act, changes, unchanged, warnings, objections, proof, missing };
}

function leakedWarning({ stored }: SecretChange): string[] {
  if (!hasSamePrevious(stored)) return [];
  return [
    `The previous ${stored.kind} keys are the leaked ones with another profile, so they are removed too. Never restore them.`,
  ];
}

function changedKeys(
  { kind, current, previous }: StoredKeys,
  changes: readonly SecretChange[],
): ChangedKeys {
  const change = changes.find(({ stored }) => stored.kind === kind);
  return { kind, current: current?.keys, previous: previous?.keys, added: change?.added?.keys };
}

/** The plan as both faces show it and carry it out. */
export function asPlanned(target: Pick<Target, "clock" | "keys">, plan: NewKeysPlan): Planned {
  const { act, changes, missing } = plan;
  const report = previewOf(target, plan);
  return {
    report,
    yes: changes.length > 0 && missing.length === 0 ? "Store" : undefined,
    act: async (actual) =>
      endReport(report, changes, await changeKeys(actual, act, changes), actual),
  };
}

function refuseWithoutRequestKeys(stored: readonly StoredKeys[], given: GivenKeys): void {
  const areGiven = given.merchantPrivateKey !== undefined || given.requestKeys !== undefined;
  if (!areGiven || stored.some(({ kind }) => kind === "request")) return;
  throw keysInvalid("This stack does not call the payment service, so it has no request keys.");
}

const nothingGiven =
  "The keys are not complete. Callback keys need an AES key and the service's public key, request keys an AES key and the merchant's private key.";

/** The new version that the given keys make; undefined if none are for this secret. */
function composedFor(
  stored: StoredKeys,
  given: GivenKeys,
): { readonly keys: StoredKeys; readonly added: NewVersion } | undefined {
  const { kind, merchantId } = stored;
  const text = composeKeys(stored, given);
  if (text === undefined) return undefined;
  const { keys, problem } = inspectKeys(kind, merchantId, text);
  if (keys === undefined) throw keysInvalid(`The new ${kind} keys: ${problem}`);
  return { keys: stored, added: { versionId: randomUUID(), text, keys } };
}

/** Undefined if the keys are current already: storing them again would push the previous version out. */
function changeOf(stored: StoredKeys, added: NewVersion, act: SetAct): SecretChange | undefined {
  const { stages, current, pending } = stored;
  const { versionId } = added;
  if (act === "revoke") refuseUnlessOthers(stored, added);
  if (isSameValue(current?.keys, added.keys)) {
    return isUnfinished(stages, act === "revoke") ? decided(stored, { act: "finish" }) : undefined;
  }
  if (act === "set") return decided(stored, { act, versionId }, added);
  if (act === "revoke") {
    const hasLeaked = hasSamePrevious(stored);
    return decided(stored, { act: "replace", versionId, hasLeaked }, added);
  }
  const isBegun = isSameValue(pending?.keys, added.keys);
  return decided(stored, { act, versionId, isBegun }, added);
}

function decided(stored: StoredKeys, wish: Wish, added?: NewVersion): SecretChange {
  const decision = decideStages(stored, wish);
  if ("goal" in decision) return { stored, goal: decision.goal, added };
  throw new PaycastError("keys-current", "The stages of the keys do not allow this.");
}

/** A leaked version is replaced by other keys. */
function refuseUnlessOthers({ kind, current }: StoredKeys, { keys }: NewVersion): void {
  if (current === undefined) {
    throw new PaycastError(
      "keys-unset",
      `The ${kind} keys were never set, so there are none to replace. Use "keys set".`,
    );
  }
  if (current.keys === undefined || isSameValue(current.keys, keys)) return;
  if (!compareKeys(keys, current.keys).areSameKeys) return;
  throw keysInvalid(
    `Only the wire profile of the ${kind} keys is new, the keys are the current ones. Use "keys set --correct".`,
  );
}

async function proofOf(
  target: Pick<Target, "stack" | "clock" | "orders">,
  merchantId: string,
  changes: readonly SecretChange[],
): Promise<Proof | undefined> {
  const added = changes.find(({ stored }) => stored.kind === "request")?.added;
  return added && (await proveKeys(target, merchantId, added));
}
