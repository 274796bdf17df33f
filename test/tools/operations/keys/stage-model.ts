/** What is in a version: the name of its keys, or something that is none. */
export type Content = "A" | "A, other profile" | "B" | "C" | "new" | "broken";

interface ModelVersion {
  readonly id: string;
  readonly content: Content;
  readonly made: number;
}

export interface ModelSecret {
  readonly current?: ModelVersion | undefined;
  readonly previous?: ModelVersion | undefined;
  readonly pending?: ModelVersion | undefined;
  /** Without a stage. */
  readonly held?: ModelVersion | undefined;
  readonly revoked: readonly string[];
  /** The previous keys verified for their time. */
  readonly isOver: boolean;
}

export type Place = "current" | "previous" | "pending" | "held";

export type Wish =
  | {
      readonly verb: "set" | "correct" | "replace";
      readonly content: Content;
      readonly force: boolean;
    }
  | { readonly verb: "restore"; readonly place?: Exclude<Place, "pending"> | undefined }
  /** Not named: `--previous`. */
  | { readonly verb: "revoke"; readonly place: Place; readonly isNamed: boolean };

/** The ids of the versions that have a stage; "new" is the one that the wish stores. */
export interface Result {
  readonly current: string | undefined;
  readonly previous: string | undefined;
  readonly pending: string | undefined;
  readonly revoked: readonly string[];
}

/** What every wish makes of every secret. What is refused changes nothing. */
export function resultOf(secret: ModelSecret, wish: Wish): Result {
  const before = {
    current: secret.current?.id,
    previous: secret.previous?.id,
    pending: secret.pending?.id,
    revoked: secret.revoked,
  };
  return { ...before, ...changesOf(secret, wish) };
}

function changesOf(secret: ModelSecret, wish: Wish): Partial<Result> {
  if (wish.verb === "restore") return restored(secret, wish.place);
  if (wish.verb === "revoke") return revoked(secret, secret[wish.place]);
  return stored(secret, wish);
}

function stored(
  secret: ModelSecret,
  { verb, content, force }: Extract<Wish, { content: Content }>,
) {
  const { current, previous, pending } = secret;
  if (verb === "replace" && (current === undefined || isOtherProfile(current, content))) return {};
  if (current?.content === content) {
    // The keys are there. What is left to do is to take a revoked version out.
    return isRevoked(secret, previous) ? { previous: undefined } : {};
  }
  // Nothing helps leaked keys to come back in the place of leaked keys.
  if (isRevokedContent(secret, content) && (verb === "replace" || !force)) return {};
  const isStillGood = isGood(secret, previous) && !isTurnedBack(secret);
  const before = isStillGood ? previous?.id : undefined;
  const fresh = { current: "new", pending: undefined };
  if (verb === "correct") {
    // This correction was stopped when it had turned back to the good version.
    const isBegun = isTurnedBack(secret) && pending?.content === content && isGood(secret, current);
    return { ...fresh, previous: isBegun ? current?.id : before };
  }
  if (verb === "set") return { ...fresh, previous: isGood(secret, current) ? current?.id : before };
  // A previous version with the leaked keys has leaked, too.
  const isSame = areSameKeys(previous?.content, current!.content);
  const isBegun = isTurnedBack(secret) && isRevoked(secret, previous);
  const leaked = isBegun ? [] : [current!.id];
  return { ...fresh, previous: isSame ? undefined : before, ...marked(secret, leaked) };
}

function restored(secret: ModelSecret, place: Exclude<Place, "pending"> | undefined) {
  const { current } = secret;
  const wanted = secret[place ?? "previous"];
  if (wanted === undefined) return {};
  const isOwn = wanted === current || place === undefined;
  // A restore that was stopped has made the older version current already.
  if (isOwn && isTurnedBack(secret) && isRead(current)) {
    return isRevoked(secret, current) ? {} : { previous: undefined };
  }
  // Somebody who names a version knows better than its time.
  const isUsable = place === undefined ? isGood(secret, wanted) : isRead(wanted);
  const isRefused = wanted === current || !isUsable || isRevoked(secret, wanted);
  if (isRefused || isRevokedContent(secret, wanted.content)) return {};
  return { current: wanted.id, previous: undefined };
}

function revoked(secret: ModelSecret, version: ModelVersion | undefined): Partial<Result> {
  const { current, previous, pending } = secret;
  if (version === undefined || version === current) return {};
  if (version === previous) {
    const isAllThatWorks = isRead(version) && !secret.isOver && !isRead(current);
    return isAllThatWorks ? {} : { previous: undefined, ...marked(secret, [version.id]) };
  }
  return { ...(version === pending && { pending: undefined }), ...marked(secret, [version.id]) };
}

const isRead = (version: ModelVersion | undefined) =>
  version !== undefined && version.content !== "broken";

const isRevoked = (secret: ModelSecret, version: ModelVersion | undefined) =>
  version !== undefined && secret.revoked.includes(version.id);

/** The functions may use it. */
const isGood = (secret: ModelSecret, version: ModelVersion | undefined) =>
  isRead(version) && !isRevoked(secret, version) && !(version === secret.previous && secret.isOver);

const isTurnedBack = ({ current, previous }: ModelSecret) =>
  current !== undefined && previous !== undefined && previous.made > current.made;

/** Keys stay revoked, whatever their version is. */
const isRevokedContent = (secret: ModelSecret, content: Content) =>
  [secret.current, secret.previous, secret.pending, secret.held].some(
    (version) => areSameKeys(version?.content, content) && isRevoked(secret, version),
  );

/** Under any profile. */
const areSameKeys = (one: Content | undefined, other: Content) =>
  one !== undefined && one !== "broken" && one.charAt(0) === other.charAt(0);

const isOtherProfile = (current: ModelVersion, content: Content) =>
  current.content !== content && areSameKeys(current.content, content);

const marked = (secret: ModelSecret, ids: readonly string[]) => ({
  revoked: [...new Set([...secret.revoked, ...ids])],
});
