import { isDeepStrictEqual } from "node:util";
import {
  changesFromDefault,
  omittableFields,
  type Profile,
} from "../../../shared/envelope/profile.ts";
import { isPresent } from "../../../shared/envelope/signed-bytes.ts";
import { counted } from "../../../shared/text/number-text.ts";
import { shellWord } from "../../../shared/text/shell-word.ts";
import { columns } from "../frame/columns.ts";
import type { Capture, CaptureKind } from "./capture.ts";
import { aesKeyName, type SearchKeys } from "./keys.ts";
import { readSpelling, spellingFields } from "./read-spelling.ts";
import { type Reason, reasonRows } from "./reasons.ts";
import { type OnProgress, type SearchResult, searchProfiles } from "./search-profiles.ts";

/** A row of the table. It holds no key, no signature and nothing of the plaintext. */
export interface Row {
  readonly code: "fits" | "undecided" | Reason;
  readonly result: string;
  readonly action: string;
  /** Of `fits`: only what differs from the default. */
  readonly profile?: Partial<Profile>;
  /** Of `undecided`: what the capture does not show, each with the other values that fit. */
  readonly undecided?: Undecided;
}

type Undecided = Readonly<Record<string, readonly string[]>>;

/** The table of one capture, as `--json` prints it. */
export interface Detected {
  readonly found: boolean;
  /** How many different profiles were checked. */
  readonly combinations: number;
  readonly rows: readonly Row[];
}

/** The keys to try, and where a profile that fits is stored. */
export interface Trial {
  readonly keys: SearchKeys;
  /** The end of the command that stores a profile. */
  readonly options: string;
  /** Where the AES key is, if it was given. */
  readonly aesKeyFile?: string;
  /** The profile beside these keys, if they are stored. */
  readonly stored?: Profile | undefined;
}

/** Searches the profile of a capture: rows about one that fits, or a row for each reason why none does. */
export function detect(capture: Capture, trial: Trial, onProgress?: OnProgress): Detected {
  const result = searchProfiles(capture, trial.keys, onProgress);
  const { combinations } = result;
  const rows = fitRows(result, capture, trial);
  if (rows.length > 0) return { found: true, combinations, rows };
  return { found: false, combinations, rows: reasonRows(result, capture) };
}

export function detectedText({ rows, combinations }: Detected): string {
  const cells = rows.map(({ result, action }) => [result, action]);
  return `${columns(["result", "what to do"], cells)}Tried ${counted(combinations, "combination")} of settings.\n`;
}

function fitRows(
  { profiles, bodyReadings: [best] }: SearchResult,
  capture: Capture,
  trial: Trial,
): Row[] {
  const { stored } = trial;
  // A callback does not show how requests are spelled, so what is stored about it stays.
  const spelling = stored && { numbers: stored.numbers, goodsAmountName: stored.goodsAmountName };
  const fitting = profiles.map((profile) => ({ ...profile, ...spelling }));
  const kept = fitting.find((profile) => isDeepStrictEqual(profile, stored));
  const [chosen] = kept ? [kept] : fitting;
  if (chosen === undefined) return [];
  const undecided = {
    ...otherValues(chosen, fitting),
    ...absentFields(chosen, capture),
    ...unseenSpelling(capture, best?.text ?? ""),
  };
  return [
    kept ? keptRow(kept) : storeRow(chosen, capture, trial),
    ...undecidedRow(undecided, capture.kind),
  ];
}

function keptRow(profile: Profile): Row {
  return {
    code: "fits",
    result: "the stored profile fits",
    action:
      "No action is needed: it was rejected before the profile was stored, or because of its age.",
    profile: changesFromDefault(profile),
  };
}

/** An IV that is a part of the AES key is not printed. The shell computes it. */
function storeRow(
  chosen: Profile,
  { envelope }: Capture,
  { keys, options, aesKeyFile = aesKeyName }: Trial,
): Row {
  const iv = keys.fixedIvs.find(({ bytes }) => bytes.toString("hex") === chosen.fixedIv)?.partOfKey;
  const changes = changesFromDefault(chosen);
  const profile = iv ? { ...changes, fixedIv: `<${iv.what}>` } : changes;
  const json = shellWord(JSON.stringify(profile));
  const command = iv?.command.replace(aesKeyName, () => shellWord(aesKeyFile));
  const written = command ? json.replace(/"<.*>"/, () => `"'"$(${command})"'"`) : json;
  const set = `npx paycast keys set ${shellWord(envelope.merchantId)} --profile profile.json`;
  const isDefault = Object.keys(profile).length === 0;
  return {
    code: "fits",
    result: isDefault ? "the default profile fits" : "a profile fits",
    action: `Store it: echo ${written} > profile.json && ${set} ${options}`,
    profile,
  };
}

/** `fixedIv` is omitted, because it may be a part of the key; the difference in `iv` is enough. */
function otherValues(chosen: Profile, fitting: readonly Profile[]): Undecided {
  const { fixedIv: _fixedIv, ...settings } = chosen;
  const found = fitting.map((profile) => new Map<string, unknown>(Object.entries(profile)));
  const entries = Object.entries(settings).map(([field, value]) => {
    const values = new Set(found.map((profile) => String(profile.get(field))));
    values.delete(String(value));
    return [field, [...values]] as const;
  });
  return Object.fromEntries(entries.filter(([, others]) => others.length > 0));
}

/** A field that is absent is not in the signed text, whether the profile signs it or not. */
function absentFields({ signedForm }: Profile, { envelope }: Capture): Undecided {
  const absent = omittableFields.filter((name) => !isPresent(envelope.fields[name]));
  return signedForm === "body" || absent.length === 0 ? {} : { unsignedFields: absent };
}

function unseenSpelling(capture: Capture, plaintext: string): Undecided {
  const seen = readSpelling(capture, plaintext);
  const unseen = spellingFields.filter((field) => seen[field] === undefined);
  return Object.fromEntries(unseen.map((field) => [field, []]));
}

const nextCapture: Readonly<Record<CaptureKind, string>> = {
  callback: "Try another callback, or an accepted request with --request.",
  request: "Try another request.",
};

function undecidedRow(undecided: Undecided, kind: CaptureKind): Row[] {
  const names = Object.entries(undecided).map(([field, others]) =>
    others.length === 0 ? field : `${field} (also ${others.join(", ")})`,
  );
  if (names.length === 0) return [];
  const action = `This ${kind} does not show ${names.join(", ")}. ${nextCapture[kind]}`;
  return [{ code: "undecided", result: "not decided", action, undecided }];
}
