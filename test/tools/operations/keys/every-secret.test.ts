import * as fc from "fast-check";
import { expect, test } from "vitest";
import { restore, revoke } from "../../../../tools/operations/keys/restore-and-revoke.ts";
import { set } from "../../../../tools/operations/keys/set-keys.ts";
import type { Target } from "../../../../tools/operations/ports/target.ts";
import { type SecretKind, secretKinds } from "../../../../tools/operations/secrets/inspect-keys.ts";
import { draws } from "../../../setup/draws.ts";
import { memoryMerchant, secretWith, textOf } from "./memory-merchant.ts";
import { stagesIn } from "./memory-secret.ts";
import { type Content, type ModelSecret, type Place, resultOf, type Wish } from "./stage-model.ts";

const work = { stopped: new AbortController().signal, tell: () => undefined };

const neverSet: ModelSecret = { revoked: [], isOver: false };

const everySet = fc
  .record({
    current: fc.constantFrom<Content>("A", "broken"),
    previous: fc.constantFrom<(Content | undefined)[]>(
      undefined,
      "A",
      "A, other profile",
      "B",
      "broken",
    ),
    held: fc.constantFrom<Content>("A", "B", "C"),
    isTurnedBack: fc.boolean(),
    isOver: fc.boolean(),
    revoked: fc.subarray<Place>(["current", "previous", "held"]),
  })
  .map(({ current, previous, held, isOver, ...state }) => {
    const contents = { current, previous, held, pending: "C" } as const;
    return secretWith(contents, { ...state, isOver: isOver && previous !== undefined });
  });

const seldomDrawn = [
  {
    // What a restore goes back to has the keys of a version that was revoked.
    kind: "callback" as const,
    secret: secretWith({ current: "A", previous: "B", held: "B" }, { revoked: ["held"] }),
    wish: { verb: "restore" as const, place: undefined },
  },
  {
    // The version before the leaked one has the same keys.
    kind: "callback" as const,
    secret: secretWith({ current: "A", previous: "A, other profile" }),
    wish: { verb: "replace" as const, content: "new" as const, force: false },
  },
  {
    // A correction was stopped between its two moves.
    kind: "callback" as const,
    secret: secretWith({ current: "A", previous: "B", pending: "C" }, { isTurnedBack: true }),
    wish: { verb: "correct" as const, content: "C" as const, force: false },
  },
];

const everyWish = fc.oneof(
  fc.record({
    verb: fc.constantFrom("set", "correct", "replace"),
    content: fc.constantFrom("A", "A, other profile", "B", "C", "new"),
    force: fc.boolean(),
  }),
  fc.record({
    verb: fc.constant("restore" as const),
    place: fc.constantFrom(undefined, "current", "previous", "held"),
  }),
  fc.record({
    verb: fc.constant("revoke" as const),
    place: fc.constantFrom("current", "previous", "held", "pending"),
    isNamed: fc.boolean(),
  }),
) satisfies fc.Arbitrary<Wish>;

/** What an operator asks for. A version is named by the beginning of its id. */
function planOf(target: Target, wish: Wish, model: ModelSecret, kind: SecretKind) {
  const merchant = "M1";
  if (wish.verb === "restore") {
    const version = wish.place && (model[wish.place]?.id.slice(0, 4) ?? "none such");
    return restore.plan(target, { merchant, only: kind, version }, work);
  }
  if (wish.verb === "revoke") {
    const isPrevious = wish.place === "previous" && !wish.isNamed;
    const version = model[wish.place]?.id.slice(0, 4) ?? "none such";
    const which = isPrevious ? { previous: true } : { version };
    return revoke.plan(target, { merchant, ...which }, work);
  }
  const { verb, content, force } = wish;
  const given = { [`${kind}Keys`]: textOf(content, kind), force, unproven: true };
  return verb === "replace"
    ? revoke.plan(target, { merchant, current: true, ...given }, work)
    : set.plan(target, { merchant, correct: verb === "correct", ...given }, work);
}

const refusals = ["keys-invalid", "keys-current", "keys-unset", "not-found"];

/** The stages after the wish. A refusal, and a plan that needs to be insisted on, leave them. */
async function played(model: ModelSecret, wish: Wish, kind: SecretKind) {
  const { target, secrets } = memoryMerchant({ [kind]: model });
  try {
    const { yes, act } = await planOf(target, wish, model, kind);
    if (yes !== undefined) expect((await act(target, work)).isGood).toBe(true);
  } catch (error) {
    expect(refusals, String(error)).toContain(Object(error).code);
  }
  const { changedAtMilliseconds, ...stages } = stagesIn(secrets[kind]);
  const known = new Set(Object.values(model).flatMap((version) => Object(version).id ?? []));
  const nameOf = (id: string | undefined) => (id === undefined || known.has(id) ? id : "new");
  return {
    current: nameOf(stages.current),
    previous: nameOf(stages.previous),
    pending: nameOf(stages.pending),
    revoked: stages.revoked.toSorted(),
  };
}

test("every wish makes of every secret what the model says", async () => {
  const drawn = fc.record({
    kind: fc.constantFrom(...secretKinds),
    secret: fc.oneof(
      { weight: 1, arbitrary: fc.constant(neverSet) },
      { weight: 20, arbitrary: everySet },
    ),
    wish: everyWish,
  });
  await fc.assert(
    fc.asyncProperty(drawn, async ({ kind, secret, wish }) => {
      // Nothing verifies with previous request keys, so their time does not end.
      const isOver = secret.isOver && kind === "callback";
      const { revoked, ...stages } = resultOf({ ...secret, isOver }, wish);
      expect(await played(secret, wish, kind)).toEqual({ ...stages, revoked: revoked.toSorted() });
    }),
    { numRuns: draws(3_000), examples: seldomDrawn.map((example): [typeof example] => [example]) },
  );
});
