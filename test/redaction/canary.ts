import { randomInt } from "node:crypto";

/**
 * What a canary stands for. Of `input` nothing may come out. An `id` may be in the fields of a log line that are for ids,
 * a `name` is the name of a field, which the answer to its sender may repeat, and `words` are the service's own, which
 * are passed on to the storefront's caller.
 */
export type Kind = "input" | "id" | "name" | "words";

/** Not hexadecimal, so that no hash holds a part of a canary by chance. */
const letters = "GHJKLMNPQRSTVWXYZghjkmnpqrstvwxyz";
/** Fewer characters of a canary than this are not looked for. */
const part = 6;
/** A word of a message could hold such a part. */
const lowerCasePart = new RegExp(`[a-z]{${part}}`);

interface Sighting {
  readonly place: string;
  readonly kind: Kind;
}

export type Canaries = ReturnType<typeof createCanaries>;

/** Makes texts that exist nowhere else, and finds them again: whole, in part, in base64 or in hex. */
export function createCanaries() {
  const sightings = new Map<string, Sighting>();
  const lengths = new Set<number>();
  const addSighting = (piece: string, sighting: Sighting) => {
    sightings.set(piece, sighting);
    lengths.add(piece.length);
  };
  const text = (place: string, kind: Kind = "input"): string => {
    const canary = drawText();
    const pieces = piecesOf(canary);
    // Of many thousand canaries some have a part in common, and an id that may be logged would look like another's part.
    const isClear = !lowerCasePart.test(canary) && !pieces.some((piece) => sightings.has(piece));
    if (!isClear) return text(place, kind);
    const sighting = { place, kind };
    for (const piece of pieces) addSighting(piece, sighting);
    return canary;
  };
  /** Twelve digits, which are looked for as a whole: nine are met by chance in times and hashes. */
  const digits = (place: string, kind: Kind = "input"): string => {
    const canary = String(randomInt(100_000_000_000, 999_999_999_999));
    addSighting(canary, { place, kind });
    return canary;
  };
  /** A time of the past day, in milliseconds. */
  const time = (place: string): number => {
    const canary = Date.now() - randomInt(1, 86_400_000);
    addSighting(String(canary), { place, kind: "input" });
    addSighting(new Date(canary).toISOString().slice(0, 23), { place, kind: "input" });
    return canary;
  };
  /** Looks for a text that the test has not made up, such as a key, by pieces too long to be met by chance. */
  const watchFor = (place: string, known: string): void => {
    const length = Math.min(16, known.length);
    for (const piece of windows(known, length)) addSighting(piece, { place, kind: "input" });
  };
  const find = (within: string, allowed: readonly Kind[] = []): string[] => {
    const found = new Set<string>();
    for (const length of lengths) {
      for (let at = 0; at + length <= within.length; at += 1) {
        const sighting = sightings.get(within.slice(at, at + length));
        if (sighting && !allowed.includes(sighting.kind)) found.add(sighting.place);
      }
    }
    return [...found];
  };
  return { text, digits, time, watchFor, find };
}

function drawText(): string {
  return Array.from({ length: 16 }, () => letters[randomInt(letters.length)]).join("");
}

function piecesOf(canary: string): string[] {
  const bytes = Buffer.from(canary);
  const hex = bytes.toString("hex");
  return [
    ...windows(canary, part),
    ...[0, 1, 2].flatMap((skip) => windows(inBase64(bytes.subarray(skip)), (part / 3) * 4)),
    ...windows(hex, 2 * part),
    ...windows(hex.toUpperCase(), 2 * part),
  ];
}

/** Only whole groups of three bytes: the rest depends on what follows. */
function inBase64(bytes: Buffer): string {
  return bytes.subarray(0, bytes.length - (bytes.length % 3)).toString("base64");
}

function windows(text: string, length: number): string[] {
  return Array.from({ length: text.length - length + 1 }, (_item, at) =>
    text.slice(at, at + length),
  );
}
