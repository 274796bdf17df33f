import * as z from "zod/mini";
import { counted } from "../../../shared/text/number-text.ts";
import { toRfc3339 } from "../../../shared/time/timestamp.ts";
import { explainAwsError } from "../explain-error.ts";
import type { Target } from "../ports/target.ts";
import { hourOf, startOfHour } from "./events-by-time.ts";
import { eventsOfHours, hourBefore, hoursOfDay } from "./newest-events.ts";

/** Which versions of callback keys verified the newest callbacks, of all merchants together. */
export interface VersionUse {
  /** How many of the last callbacks were read. */
  readonly callbacks: number;
  /** All callbacks from this time on were read. */
  readonly since: string;
  /** Version id to the time of the last of them that it verified. */
  readonly lastUsedAt: ReadonlyMap<string, string>;
  /** Version id to the number of them that it verified. */
  readonly timesUsed: ReadonlyMap<string, number>;
  /** Merchant id to the version that verified the last of its callbacks. */
  readonly lastVersionOf: ReadonlyMap<string, string>;
  /** Version id to the merchant whose callbacks it verified. */
  readonly merchantOf: ReadonlyMap<string, string>;
  /** Why the records cannot be read. Keys can be repaired even then. */
  readonly problem?: string;
}

/** A version to search for. It verified nothing before it was created. */
interface AskedVersion {
  readonly versionId: string;
  readonly createdAtMilliseconds: number;
}

/** Enough to see which keys the service uses. The metrics count every callback. */
const mostEntries = 2_000;
/** The eight shards of a busy hour are read in one call each. */
const pageSize = 250;

const entrySchema = z.object({
  recordedAt: z.string(),
  merchantId: z.optional(z.string()),
  keyVersion: z.optional(z.string()),
});

/**
 * Reads the index of published records, the newest first: at most a day and 2,000 entries, and no further than needed to
 * see each of the versions. A callback that states a known fact is not in the index, so a version that verified only
 * such callbacks counts as not used.
 */
export async function readVersionUse(
  target: Pick<Target, "clock" | "records">,
  versions: readonly AskedVersion[],
  now: () => number = target.clock.now,
): Promise<VersionUse> {
  const use = { ...noUse(), since: toRfc3339(now()) };
  try {
    await readSteps(target, versions, now(), use);
    return use;
  } catch (error) {
    const problem = explainAwsError(error)?.message;
    if (problem === undefined) throw error;
    return { ...noUse(), since: toRfc3339(now()), problem };
  }
}

interface Counting {
  /** Callbacks, and responses to queries, which no callback keys verify. */
  entries: number;
  callbacks: number;
  since: string;
  readonly lastUsedAt: Map<string, string>;
  readonly timesUsed: Map<string, number>;
  readonly lastVersionOf: Map<string, string>;
  readonly merchantOf: Map<string, string>;
}

function noUse(): Omit<Counting, "since"> {
  return {
    entries: 0,
    callbacks: 0,
    lastUsedAt: new Map(),
    timesUsed: new Map(),
    lastVersionOf: new Map(),
    merchantOf: new Map(),
  };
}

async function readSteps(
  target: Pick<Target, "clock" | "records">,
  versions: readonly AskedVersion[],
  startedAt: number,
  use: Counting,
): Promise<void> {
  const before = startedAt + 1;
  let hour = hourBefore(before);
  for (const hours of hoursOfDay) {
    const unseen = versions.filter(({ versionId }) => !use.lastUsedAt.has(versionId));
    const oldest = Math.min(...unseen.map((version) => version.createdAtMilliseconds));
    // An hour before that, too: it shows which version verified until a wrong one was made.
    const count = Math.min(hours, hour - hourOf(oldest) + 2);
    if (unseen.length === 0 || count <= 0 || use.entries >= mostEntries) return;
    const last = await readEntries(target, { before, hour, count, pageSize }, use);
    if (last !== undefined) {
      use.since = last;
      return;
    }
    hour -= count;
    use.since = startOfHour(hour + 1);
  }
}

/** If there are too many entries, returns the time from which on all were read. */
async function readEntries(
  target: Pick<Target, "clock" | "records">,
  hours: Parameters<typeof eventsOfHours>[1],
  use: Counting,
): Promise<string | undefined> {
  let last: string | undefined;
  for await (const item of eventsOfHours(target, hours)) {
    const { recordedAt, merchantId = "", keyVersion } = entrySchema.parse(item);
    // Only between two times: everything of the last time counts.
    if (use.entries >= mostEntries && recordedAt !== last) return last;
    last = recordedAt;
    use.entries += 1;
    if (keyVersion === undefined) continue;
    use.callbacks += 1;
    use.timesUsed.set(keyVersion, (use.timesUsed.get(keyVersion) ?? 0) + 1);
    if (!use.lastUsedAt.has(keyVersion)) use.lastUsedAt.set(keyVersion, recordedAt);
    if (!use.lastVersionOf.has(merchantId)) use.lastVersionOf.set(merchantId, keyVersion);
    use.merchantOf.set(keyVersion, merchantId);
  }
  return undefined;
}

/** The same use, with what some versions verified counted for others. */
export function countFor(others: ReadonlyMap<string, string>, use: VersionUse): VersionUse {
  const counting = (versionId: string) => others.get(versionId) ?? versionId;
  const timesUsed = new Map<string, number>();
  for (const [versionId, times] of use.timesUsed) {
    const id = counting(versionId);
    timesUsed.set(id, (timesUsed.get(id) ?? 0) + times);
  }
  const lastUsedAt = new Map<string, string>();
  for (const [versionId, at] of use.lastUsedAt) {
    const id = counting(versionId);
    if (at > (lastUsedAt.get(id) ?? "")) lastUsedAt.set(id, at);
  }
  const lastVersionOf = new Map(
    [...use.lastVersionOf].map(([merchantId, versionId]) => [merchantId, counting(versionId)]),
  );
  const merchantOf = new Map(
    [...use.merchantOf].map(([versionId, merchantId]) => [counting(versionId), merchantId]),
  );
  return { ...use, timesUsed, lastUsedAt, lastVersionOf, merchantOf };
}

/** What a version verified, in words. */
export function useText(versionId: string, { timesUsed, callbacks }: VersionUse): string {
  return useOf(timesUsed.get(versionId) ?? 0, callbacks);
}

/** "12 of the last 340 callbacks". */
export function useOf(count: number, callbacks: number): string {
  if (callbacks === 0) return "none, since no callback was recorded";
  const shown = count === 0 ? "none" : count.toLocaleString("en-US");
  return `${shown} of the last ${counted(callbacks, "callback")}`;
}
