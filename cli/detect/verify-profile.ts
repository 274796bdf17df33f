import { openEnvelope } from "../../shared/envelope/open-callback.ts";
import { changesFromDefault, type Profile, readProfile } from "../../shared/envelope/profile.ts";
import { Refusal, type RefusalReason } from "../../shared/envelope/refusal.ts";
import type { Capture } from "./capture.ts";
import type { SearchKeys } from "./keys.ts";

/**
 * Opens the capture with a profile, with the same code as for a real callback, and gives the reason if it is refused.
 * The profile is parsed as it will be after it is pasted. The clock is set to the capture's own time, because the
 * capture may be old.
 */
export function reasonNotToOpen(
  candidate: Profile,
  { envelope }: Capture,
  keys: SearchKeys,
): RefusalReason | undefined {
  const profile = readProfile(changesFromDefault(candidate));
  const aesKey = keys.aesKeys.get(profile.keyEncoding);
  if (aesKey === undefined) return "cannot-decrypt";
  const nowMilliseconds = envelope.timestampMilliseconds;
  const window = { nowMilliseconds, maximumAgeMilliseconds: 0, maximumAheadMilliseconds: 0 };
  const opening = { profile, aesKey, servicePublicKey: keys.publicKey };
  try {
    const version = { versionId: "capture", stage: "current", keys: opening } as const;
    const { content } = openEnvelope(envelope, [version], window);
    return content.kind === "text" ? undefined : "cannot-decrypt";
  } catch (error) {
    if (error instanceof Refusal) return error.reason;
    throw error;
  }
}
