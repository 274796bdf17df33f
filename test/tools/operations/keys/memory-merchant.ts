import { bucketShards, hourBucket } from "../../../../shared/records/time-bucket.ts";
import { toAttributes } from "../../../../shared/table/attributes.ts";
import { createColours } from "../../../../shared/text/terminal-text.ts";
import { toRfc3339 } from "../../../../shared/time/timestamp.ts";
import { reportText } from "../../../../tools/cli/frame/report-text.ts";
import type { Report } from "../../../../tools/operations/described/description.ts";
import {
  countWith,
  firstMinuteOf,
  type ReadMetrics,
} from "../../../../tools/operations/ports/metrics.ts";
import type { Target } from "../../../../tools/operations/ports/target.ts";
import type { SecretKind } from "../../../../tools/operations/secrets/inspect-keys.ts";
import { databaseOver } from "../../../builders/memory-table.ts";
import { makeMerchant } from "../../../builders/merchant.ts";
import { memoryKeys, memorySecret, versionOf } from "./memory-secret.ts";
import type { Content, ModelSecret, Place } from "./stage-model.ts";

/** In the middle of an hour, so that what happened in the last minutes is in one. */
const now = Date.parse("2026-11-17T09:30:00Z");
const hour = 3_600_000;
const merchantId = "M1";

const named = { A: makeMerchant(), B: makeMerchant(), C: makeMerchant(), new: makeMerchant() };
const texts = {
  callback: textsOf((merchant) => merchant.callbackSecret()),
  request: textsOf((merchant) => merchant.requestSecret()),
};

function textsOf(secretOf: (merchant: (typeof named)["A"]) => string): Record<Content, string> {
  const { A, B, C, new: fresh } = named;
  const profile = { signatureHash: "SHA-512" };
  return {
    A: secretOf(A),
    "A, other profile": JSON.stringify({ ...JSON.parse(secretOf(A)), profile }),
    B: secretOf(B),
    C: secretOf(C),
    new: secretOf(fresh),
    broken: "{}",
  };
}

/** The keys of this name, as a file or a secret of this kind has them. */
export const textOf = (content: Content, kind: SecretKind): string => texts[kind][content];

/** The id is as long as Secrets Manager wants it. Its first four characters are enough for an operator. */
export const idOf = (place: Place): string => `${place}-0000-0000-0000-000000000000000`;

type Contents = Readonly<Partial<Record<Place, Content | undefined>>>;

interface State {
  readonly revoked?: readonly Place[];
  readonly isTurnedBack?: boolean;
  readonly isOver?: boolean;
}

/** A secret whose versions hold these keys, the current one made last. */
export function secretWith(contents: Contents, state: State = {}): ModelSecret {
  const { revoked = [], isTurnedBack = false, isOver = false } = state;
  const made = { held: 1, previous: 3, current: isTurnedBack ? 2 : 4, pending: 5 };
  const version = (place: Place) => {
    const content = contents[place];
    return content && { id: idOf(place), content, made: made[place] };
  };
  return {
    held: version("held"),
    previous: version("previous"),
    current: version("current"),
    pending: version("pending"),
    revoked: revoked.filter((place) => contents[place] !== undefined).map(idOf),
    isOver,
  };
}

/** What an operator can see beside the keys. */
interface Surroundings {
  /** The versions that verified the last callbacks, the newest first. One came each second. */
  readonly verified?: readonly string[];
  /** How long ago the versions were made. */
  readonly madeHoursAgo?: number;
  /** The stack calls a payment service, in which no payment is known. */
  readonly hasService?: boolean;
}

/** A merchant whose secrets are in memory. One that is not given was never set. */
export function memoryMerchant(
  models: Partial<Record<SecretKind, ModelSecret>>,
  { verified = [], madeHoursAgo = 0, hasService = false }: Surroundings = {},
) {
  const madeAt = now - madeHoursAgo * hour;
  const secretOf = (kind: SecretKind) => {
    const { held, previous, current, pending, revoked = [] } = models[kind] ?? {};
    const versions = [held, previous, current, pending].filter((version) => version !== undefined);
    const stages = { current: current?.id, previous: previous?.id, pending: pending?.id, revoked };
    return memorySecret(
      [...new Set(versions)].map(({ id, content, made }) =>
        versionOf(id, textOf(content, kind), madeAt - 100 + made),
      ),
      stages,
      madeAt,
    );
  };
  const secrets = { callback: secretOf("callback"), request: secretOf("request") };
  const previousKeysMilliseconds = models.callback?.isOver ? 0 : 72 * hour;
  const database = recordsOf(verified);
  const readRequests = async () => Promise.reject(awsDenied);
  const target = {
    stack: {
      kind: "local",
      merchants: [{ merchantId, callbackKeys: "callback", requestKeys: "request" }],
      gateway: hasService ? {} : { unavailable: "It only receives callbacks." },
    },
    clock: { now: () => now },
    orders: { table: "orders", database: recordsOf([]) },
    records: { table: "callbacks", database },
    keys: memoryKeys(secrets, () => now, previousKeysMilliseconds),
    metrics: { count: countNothing },
    log: { readRequests },
    audit: { write: async () => {} },
  } as unknown as Target;
  return { target, secrets };
}

/** What a terminal shows, with one space between columns and the places of the versions instead of their ids. */
export function shownText(report: Report): string {
  const text = reportText(report, { colours: createColours(false), now });
  return withoutIdEnds(text).replaceAll(/(?<=\S) +/g, " ");
}

export const withoutIdEnds = (text: string): string => text.replaceAll(/-0{4}[-0]+/g, "");

/** What AWS says to somebody who has no permission. */
export const awsDenied = Object.assign(new Error("denied"), { name: "AccessDeniedException" });

const countNothing: ReadMetrics = async (_metrics, range) =>
  countWith(range, firstMinuteOf(range, now), () => []);

/** A table with the records of callbacks that these versions verified. */
function recordsOf(verified: readonly string[]) {
  const items = verified.map((keyVersion, index) => {
    const recordedAt = toRfc3339(now - (index + 1) * 1_000);
    const timeBucket = hourBucket(recordedAt, index % bucketShards);
    return toAttributes({ merchantId, keyVersion, recordedAt, timeBucket });
  });
  return databaseOver(
    async ({ ExpressionAttributeValues }) => {
      const asked = Object.values(ExpressionAttributeValues).map(({ S }) => S);
      return { Items: items.filter(({ timeBucket }) => asked.includes(timeBucket?.S)) };
    },
    () => now,
  );
}
