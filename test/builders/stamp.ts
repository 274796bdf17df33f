import type { KeyObject } from "node:crypto";
import type { KeyVersion } from "../../shared/envelope/open-callback.ts";
import { writeStamped } from "../../shared/inbox/inbox-body.ts";
import { type CheckingKeys, readStampKey } from "../../shared/keys/stamp-keys.ts";

/** The stamp key of every world and flow of the tests. The version id is one that Secrets Manager takes as a token. */
export const stampSecret = "StampKeyOfTheTestsWithMoreThanEnoughCharactersForItsPurpose00001";
export const stampVersionId = "5d1f7a52-0000-4000-8000-000000000001";

export const testStampKey: KeyVersion<KeyObject> = {
  versionId: stampVersionId,
  stage: "current",
  keys: readStampKey({ text: stampSecret }),
};

/** The body of an inbox message as our functions send it. */
export function stamped(group: string, message: string, key = testStampKey): string {
  return writeStamped(key, group, message);
}

/** What a flow of process-callback needs to check the stamps of this file. */
export const openingDeps = {
  stampKeys: {
    versions: async () => [testStampKey],
    refresh: async () => {},
    knownAtMilliseconds: () => Number.NEGATIVE_INFINITY,
  } satisfies CheckingKeys,
  loadRecord: async () => undefined,
};
