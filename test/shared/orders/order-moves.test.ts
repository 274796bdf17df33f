import { describe, expect, test } from "vitest";
import {
  type Move,
  moveState,
  moves,
  refuseOrder,
  stateAfter,
} from "../../../shared/orders/order-moves.ts";
import { type OrderState, type StateKind, stateKinds } from "../../../shared/orders/order-state.ts";
import { latestFirstCheckMilliseconds, settledMilliseconds } from "../../../shared/timing.ts";
import { aCreation, anAttempt, anOrder } from "./facts.ts";

/* Every move of every state. A dot leaves the state as it is, and a dash cannot be. */

const expires = 1_794_706_000_000;
const learned = 1_794_707_000_000;
const waitingSinceMilliseconds = 1_794_700_000_000;
const refusal = { code: "40103", msg: "no", atMilliseconds: 7 };

const states: Readonly<Record<StateKind, OrderState>> = {
  new: { kind: "new" },
  heard: { kind: "heard" },
  foreign: { kind: "foreign" },
  sending: { kind: "sending" },
  unsent: { kind: "unsent" },
  refused: { kind: "refused", code: "1", msg: "before", atMilliseconds: 1 },
  "outcome-unknown": { kind: "outcome-unknown" },
  reported: { kind: "reported" },
  open: { kind: "open", waitingSinceMilliseconds },
  incomplete: { kind: "incomplete", waitingSinceMilliseconds },
  ended: { kind: "ended", waitingSinceMilliseconds, confirmAtMilliseconds: 9 },
  confirmed: { kind: "confirmed", waitingSinceMilliseconds },
  unresolved: { kind: "unresolved", waitingSinceMilliseconds },
  paid: { kind: "paid" },
};

/** In the order of `moves`. */
const table: Readonly<Record<StateKind, string>> = {
  new: "heard foreign foreign paid sending - - - - - - - - - -",
  heard: ". foreign foreign paid - - - - - - - - - - -",
  foreign: ". . . paid - - - - - - - - - - -",
  sending:
    "reported reported reported paid outcome-unknown refused unsent outcome-unknown open incomplete ended paid . - -",
  unsent: "reported reported reported paid sending . . - - - - - - - -",
  refused: "reported reported reported paid sending . . - - - - - - - -",
  "outcome-unknown":
    "reported reported reported paid . refused unsent . open incomplete ended paid . - -",
  reported: ". . . paid - . . . open incomplete ended paid . - -",
  open: ". . ended paid - - - - open incomplete ended paid . - unresolved",
  incomplete: ". . ended paid - - - - open incomplete ended paid . - unresolved",
  ended: ". . ended paid - - - - - - ended paid . confirmed unresolved",
  confirmed: ". . ended paid - - - - - - ended paid ended . .",
  unresolved: ". . ended paid - - - - . . . paid . confirmed .",
  paid: ". . . . - . . . - - - . . - -",
};

const cases = stateKinds.flatMap((state) => {
  const results = table[state].split(" ");
  return moves.map((move, index) => [state, move, results[index]!] as const);
});

const order = (kind: StateKind) =>
  anOrder({
    state: states[kind],
    flags: kind === "unresolved" ? ["late", "unresolved"] : ["late"],
    hasUnreadableAnswer: true,
    creation: aCreation(expires),
    attempts: [anAttempt({ startedAtMilliseconds: 0 })],
    payment: { learnedAt: new Date(learned).toISOString() },
  });

/** What each state stores when an order enters it. */
const entered: Readonly<Record<string, OrderState>> = {
  ...states,
  refused: { kind: "refused", ...refusal },
  open: { kind: "open", waitingSinceMilliseconds: latestFirstCheckMilliseconds - 120_000 },
  incomplete: {
    kind: "incomplete",
    waitingSinceMilliseconds: latestFirstCheckMilliseconds - 120_000,
  },
  ended: {
    kind: "ended",
    waitingSinceMilliseconds: learned,
    confirmAtMilliseconds: learned + settledMilliseconds,
  },
};

const moved = (kind: StateKind, move: Move) =>
  move === "refused" ? refuseOrder(order(kind), refusal) : moveState(order(kind), move);

describe("an order that is", () => {
  test.each(cases)("%s, %s: %s", (state, move, result) => {
    if (result === "-") {
      expect(stateAfter(state, move)).toBeUndefined();
      expect(() => moved(state, move)).toThrow(`An order that is ${state} cannot be ${move}.`);
      return;
    }
    const after = moved(state, move);
    expect(after.state).toEqual(result === "." ? states[state] : entered[result]);
    expect(after.flags).toEqual(
      after.state.kind === "unresolved" ? ["late", "unresolved"] : ["late"],
    );
    const hasEnd = ["ended", "confirmed", "paid"].includes(result);
    expect(after.hasUnreadableAnswer).toBe(hasEnd ? undefined : true);
  });

  test.each(cases.filter(([, , result]) => result === "."))(
    "%s, %s, is the identical object, so that nothing is written",
    (state, move) => {
      const before = order(state);
      const after = move === "refused" ? refuseOrder(before, refusal) : moveState(before, move);
      expect(after).toBe(before);
    },
  );
});
