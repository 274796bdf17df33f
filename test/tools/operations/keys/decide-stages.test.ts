import { isDeepStrictEqual } from "node:util";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  decideStages,
  type Goal,
  isUnfinished,
  type Wish,
} from "../../../../tools/operations/keys/decide-stages.ts";
import { afterMove, nextMove, nextStep } from "../../../../tools/operations/keys/next-step.ts";
import type { StageMove, Stages } from "../../../../tools/operations/ports/keys.ts";
import type { SecretKind } from "../../../../tools/operations/secrets/inspect-keys.ts";
import {
  isRevoked,
  isUndone,
  type KnownStages,
  type KnownVersion,
} from "../../../../tools/operations/secrets/stages.ts";

/** A secret: its stages, and what is known of each version that was ever put in. */
interface Secret {
  readonly stages: Stages;
  readonly versions: ReadonlyMap<string, KnownVersion>;
}

/** What an operator asks for. Some come with keys, which are known by their name here. */
type Asked =
  | { readonly act: "set" | "correct" | "replace"; readonly keys: string }
  | { readonly act: "restore"; readonly versionId?: string }
  | { readonly act: "revoke"; readonly versionId: string };

const ids = ["A", "B", "C"];
const kinds: readonly SecretKind[] = ["callback", "request"];

/**
 * Every state of a secret: which of three versions have the stages, in which order they were made, which can be used, and
 * which one is marked as revoked.
 */
function* everySecret(): Generator<Secret> {
  const holders = [undefined, ...ids];
  for (const current of holders)
    for (const previous of holders)
      for (const pending of holders)
        for (let usable = 0; usable < 8; usable += 1)
          for (const made of [
            [1, 2, 3],
            [3, 2, 1],
          ]) {
            if (current === undefined && previous !== undefined) continue;
            const versions = new Map(
              ids.map((versionId, index) => {
                const createdAtMilliseconds = made[index]!;
                const isUsable = (usable & (1 << index)) > 0;
                return [versionId, { versionId, createdAtMilliseconds, isUsable }];
              }),
            );
            for (const marked of holders) {
              const revoked = marked === undefined ? [] : [marked];
              yield { stages: { current, previous, pending, revoked }, versions };
            }
          }
}

const everyAsked: readonly Asked[] = [
  ...(["set", "correct", "replace"] as const).map((act) => ({ act, keys: "N" })),
  { act: "restore" },
  ...ids.map((versionId) => ({ act: "restore" as const, versionId })),
  ...ids.map((versionId) => ({ act: "revoke" as const, versionId })),
];

function known({ stages, versions }: Secret): KnownStages {
  const of = (id: string | undefined) => (id === undefined ? undefined : versions.get(id));
  return { stages, current: of(stages.current), previous: of(stages.previous) };
}

/** A version is named by its keys and a number: "N1", "N2". */
const keysOf = (versionId: string | undefined) => versionId?.replace(/\d+$/, "");

/** What a command does: it stages a new version if it needs one, and decides. Undefined if there is nothing to do. */
function planned(secret: Secret, asked: Asked): { secret: Secret; goal: Goal } | undefined {
  const { stages } = secret;
  const before = known(secret);
  if (asked.act === "restore" || asked.act === "revoke") {
    const version = secret.versions.get(asked.versionId ?? "");
    const wish = asked.act === "restore" ? { act: asked.act, version } : asked;
    const decision = decideStages(before, wish);
    return "goal" in decision ? { secret, goal: decision.goal } : undefined;
  }
  if (keysOf(stages.current) === asked.keys) {
    const decision = decideStages(before, { act: "finish" });
    return isUnfinished(stages, asked.act === "replace") && "goal" in decision
      ? { secret, goal: decision.goal }
      : undefined;
  }
  const versionId = `${asked.keys}${secret.versions.size}`;
  const isBegun = keysOf(stages.pending) === asked.keys;
  const wish: Wish = { act: asked.act, versionId, isBegun };
  const decision = decideStages(before, wish);
  if ("refused" in decision) return undefined;
  const version = { versionId, createdAtMilliseconds: secret.versions.size + 10, isUsable: true };
  const versions = new Map([...secret.versions, [versionId, version]]);
  // Secrets Manager makes the very first version of a secret current by itself.
  const current = stages.current ?? versionId;
  return {
    goal: decision.goal,
    secret: { versions, stages: { ...stages, current, pending: versionId } },
  };
}

/** Every state from the one that a command began with to its end. */
function statesOf(secret: Secret, asked: Asked, kind: SecretKind): readonly Secret[] {
  const plan = planned(secret, asked);
  if (plan === undefined) return [secret];
  const states = [plan.secret];
  for (;;) {
    const { stages, versions } = states.at(-1)!;
    const move = nextMove(stages, plan.goal, kind);
    if (move === undefined) return states;
    if (states.length > 5) throw new Error("It does not end.");
    states.push({ versions, stages: afterMove(stages, move) });
  }
}

const isUsable = ({ versions }: Secret, id: string | undefined) =>
  id !== undefined && versions.get(id)?.isUsable === true;
const usableIn = (secret: Secret) =>
  [secret.stages.current, secret.stages.previous].filter((id) => isUsable(secret, id));
const shown = ({ stages }: Secret) => ({ current: stages.current, previous: stages.previous });
/** The previous version, if it can be used. */
const verifying = (secret: Secret) =>
  isUsable(secret, secret.stages.previous) ? secret.stages.previous : undefined;
const endOf = (secret: Secret, asked: Asked, kind: SecretKind) =>
  statesOf(secret, asked, kind).at(-1)!;

/**
 * A version that is newer than the current one is restored by its name. If that is stopped, nothing shows that the older
 * one was the wrong one: it stays the previous one until somebody revokes it.
 */
function isForward({ stages, versions }: Secret, asked: Asked): boolean {
  if (asked.act !== "restore" || asked.versionId === undefined) return false;
  const made = (id: string | undefined) => versions.get(id ?? "")?.createdAtMilliseconds ?? 0;
  return made(asked.versionId) > made(stages.current);
}

/** The cases in which something is not so. */
function exceptions(
  isSo: (secret: Secret, asked: Asked, kind: SecretKind) => boolean,
): readonly unknown[] {
  const cases = [...everySecret()].flatMap((secret) =>
    everyAsked.flatMap((asked) => kinds.map((kind) => ({ secret, asked, kind }))),
  );
  expect(cases.length).toBeGreaterThan(5_000);
  return cases
    .filter(({ secret, asked, kind }) => !isSo(secret, asked, kind))
    .map(({ secret, asked, kind }) => [secret.stages, usableIn(secret), asked, kind]);
}

describe("every stored state with every wish", () => {
  test("has one current version at each moment, which is never the previous one too", () => {
    const wrong = exceptions((secret, asked, kind) =>
      statesOf(secret, asked, kind).every(({ stages: { current, previous } }) => {
        const isMissing = current === undefined && secret.stages.current !== undefined;
        // Somebody may have attached both stages by hand, before the command came.
        const isAsBefore = current === secret.stages.current && previous === secret.stages.previous;
        return !isMissing && (current === undefined || current !== previous || isAsBefore);
      }),
    );
    expect(wrong).toEqual([]);
  });

  test("has a usable version at each moment, if there was one", () => {
    const wrong = exceptions((secret, asked, kind) => {
      const states = statesOf(secret, asked, kind);
      return usableIn(secret).length === 0 || states.every((state) => usableIn(state).length > 0);
    });
    expect(wrong).toEqual([]);
  });

  test("is done once: the same command again changes nothing", () => {
    const wrong = exceptions((secret, asked, kind) => {
      const end = endOf(secret, asked, kind);
      return isDeepStrictEqual(shown(endOf(end, asked, kind)), shown(end));
    });
    expect(wrong).toEqual([]);
  });

  test("and stopped after any move, ends the same when the same command runs again", () => {
    const wrong = exceptions((secret, asked, kind) => {
      const states = statesOf(secret, asked, kind);
      const wanted = states.at(-1)!;
      return states.every((stopped) => {
        const again = endOf(stopped, asked, kind);
        if (keysOf(again.stages.current) !== keysOf(wanted.stages.current)) return false;
        // Nothing uses previous request keys, and wrong callback keys as the previous ones verify nothing.
        if (kind === "request" || asked.act === "correct" || isForward(secret, asked)) return true;
        const previous = keysOf(verifying(again));
        // If it is not sure which keys leaked, all of before go.
        if (asked.act === "replace" && previous === undefined) return true;
        return previous === keysOf(verifying(wanted));
      });
    });
    expect(wrong).toEqual([]);
  });

  test("takes the current version out if it is restored from, or leaked, also if it is stopped and run again", () => {
    const wrong = exceptions((secret, asked, kind) => {
      const { current } = secret.stages;
      const isOut = ({ stages }: Secret) => ![stages.current, stages.previous].includes(current);
      const states = statesOf(secret, asked, kind);
      // Keys that cannot be used do no harm.
      const isTaken =
        asked.act === "replace" || (asked.act === "restore" && isUsable(secret, current));
      if (!isTaken || current === undefined || states.at(-1)!.stages.current === current)
        return true;
      const stops = isForward(secret, asked) ? states.slice(-1) : states;
      return stops.every((stopped) => {
        const end = endOf(stopped, asked, kind);
        return isOut(end) && isOut(endOf(end, { act: "restore" }, kind));
      });
    });
    expect(wrong).toEqual([]);
  });

  test("keeps callback keys that stay the previous ones in use while the current ones are replaced", () => {
    const wrong = exceptions((secret, asked, kind) => {
      const { previous } = secret.stages;
      const states = statesOf(secret, asked, kind);
      const isKept = kind === "callback" && states.at(-1)!.stages.previous === previous;
      if (!isKept || previous === undefined) return true;
      return states.every(({ stages }) => [stages.current, stages.previous].includes(previous));
    });
    expect(wrong).toEqual([]);
  });
});

describe("a revoked version", () => {
  const inUse = ({ stages }: Secret) => [stages.current, stages.previous];
  const marked = ({ stages }: Secret) => stages.revoked ?? [];

  test("keeps its mark, and never gets a stage that functions use", () => {
    const wrong = exceptions((secret, asked, kind) => {
      const states = [secret, ...statesOf(secret, asked, kind)];
      return states.slice(1).every((state, index) => {
        const before = states[index]!;
        const isKept = marked(before).every((id) => marked(state).includes(id));
        const returned = marked(before).filter((id) => inUse(state).includes(id));
        return isKept && returned.every((id) => inUse(before).includes(id));
      });
    });
    expect(wrong).toEqual([]);
  });

  test("is marked before it loses its stage, also if the command is stopped", () => {
    const wrong = exceptions((secret, asked, kind) => {
      const leaked = asked.act === "replace" ? secret.stages.current : undefined;
      const versionId = asked.act === "revoke" ? asked.versionId : leaked;
      const states = statesOf(secret, asked, kind);
      if (versionId === undefined || states.length === 1) return true;
      const isBegun = isUndone(known(secret)) && marked(secret).includes(secret.stages.previous!);
      if (leaked !== undefined && isBegun) return true;
      return states.slice(1).every((state) => marked(state).includes(versionId));
    });
    expect(wrong).toEqual([]);
  });

  test("loses its mark only if there would be too many: the oldest goes first", () => {
    const revoked = Array.from({ length: 12 }, (_item, index) => `old-${index}`);
    const before: Stages = { current: "A", previous: "B", revoked };
    const goal = { current: "A", revoked: "B" };
    const first = nextMove(before, goal, "callback")!;
    expect(first).toEqual({ stage: "revoked", from: "old-0" });
    const second = nextMove(afterMove(before, first), goal, "callback");
    expect(second).toEqual({ stage: "revoked", to: "B" });
  });
});

test("of two operators at once, none overrides the other without noticing it", () => {
  const secrets = [...everySecret()].filter(({ stages }) => stages.current !== undefined);
  const asked = fc.constantFrom<Asked>(...everyAsked);
  const drawn = fc.record({
    secret: fc.constantFrom(...secrets),
    kind: fc.constantFrom(...kinds),
    first: asked,
    second: asked,
    turns: fc.array(fc.boolean(), { maxLength: 8 }),
  });
  fc.assert(
    fc.property(drawn, ({ secret, kind, first, second, turns }) => {
      const plans = [
        planned(secret, first),
        planned(secret, { ...second, ...("keys" in second && { keys: "M" }) }),
      ];
      const ends: ("done" | "lost" | undefined)[] = plans.map((plan) =>
        plan ? undefined : "done",
      );
      let { stages } = secret;
      const decided: (StageMove | undefined)[] = [];
      /** An operator looks, and moves at the next turn. The other one may have moved in between. */
      const step = (index: number) => {
        const plan = plans[index];
        const move = decided[index];
        if (plan === undefined || ends[index] !== undefined) return;
        decided[index] = undefined;
        if (move !== undefined) {
          stages = moved(stages, move);
          return;
        }
        const next = nextStep(stages, secret.stages, plan.goal, kind);
        if (next.isLost) ends[index] = "lost";
        else if (next.move === undefined) ends[index] = "done";
        else decided[index] = next.move;
        // What the other one has revoked gets no stage of the functions.
        const to = next.move?.stage === "revoked" ? undefined : next.move?.to;
        expect(isNewlyRevoked(stages, secret.stages, to)).toBe(false);
      };
      for (const isSecond of turns) step(isSecond ? 1 : 0);
      for (let rest = 0; rest < 16; rest += 1) for (const index of [0, 1]) step(index);
      const lost = ends.filter((end) => end === "lost");
      for (const [index, plan] of plans.entries()) {
        if (plan === undefined || ends[index] === "lost") continue;
        const { current, revoked } = plan.goal;
        if (revoked !== undefined) expect(stages.revoked).toContain(revoked);
        // A version without a stage gets its mark, whatever the other one does.
        if (current === secret.stages.current) continue;
        // An operator who reads "done" has a current version, or read it before the other one began.
        expect(lost.length + Number(stages.current === current)).toBeGreaterThan(0);
      }
      const { current } = stages;
      if (current !== undefined && current !== secret.stages.current) {
        const byOther = plans.filter((plan) => plan?.goal.revoked === current);
        expect(byOther.length === 0 || lost.length > 0).toBe(true);
        // Who makes a version current on the way to new keys does not leave it so if the other one has revoked it.
        const isOnWay = [first, second].some(
          (wanted, index) => "keys" in wanted && plans[index]?.goal.previous === current,
        );
        expect(isOnWay && isNewlyRevoked(stages, secret.stages, current)).toBe(false);
      }
    }),
    { numRuns: 3_000 },
  );
});

/** Secrets Manager refuses a move that names another version than the one that has the stage. A new mark names none. */
function moved(now: Stages, move: StageMove): Stages {
  const isRefused = move.stage !== "revoked" && now[move.stage] !== move.from;
  return isRefused ? now : afterMove(now, move);
}

function isNewlyRevoked(now: Stages, before: Stages, versionId: string | undefined): boolean {
  return isRevoked(now, versionId) && !isRevoked(before, versionId);
}
