/** What a rule found in a run. */
export interface RuleResult {
  readonly rule: string;
  readonly checked: number;
  readonly violations: readonly { readonly message: string; readonly orderNo?: string }[];
  /** How many cases each excuse removed. They do not count as checked. */
  readonly excused?: Readonly<Record<string, number>>;
  readonly attributed?: readonly string[];
  /** What may be wrong only because the machine was busy. */
  readonly unjudged?: readonly string[];
}

/** The name of the result that a round has only if some work never finished. */
export const restRule = "work that never finished";

/** What one round did and found. */
export interface Round {
  /** Of the sources. A run that was interrupted may continue at another one. */
  readonly commit?: string;
  readonly seed: number;
  readonly seconds: number;
  readonly orders: number;
  readonly callbacks: number;
  readonly events: number;
  readonly disturbances: number;
  /** The duration of the round, including waits. */
  readonly lastedSeconds: number;
  /** How long the machine was busy. */
  readonly busySeconds: number;
  readonly results: readonly RuleResult[];
}

export interface ChaosFigures {
  readonly rounds: readonly Round[];
}

export function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** How many cases the excuses removed. */
export function excusedIn({ excused = {} }: RuleResult): number {
  return sum(Object.values(excused));
}

/** Whether the run counted excuses. Older ones did not. */
export function countsExcuses({ rounds }: ChaosFigures): boolean {
  return rounds.some(({ results }) => results.some(({ excused }) => excused !== undefined));
}

/** How many cases each rule checked in all rounds, and how many were wrong. */
export function countsOf({ rounds }: ChaosFigures) {
  const rules = new Set(rounds.flatMap(({ results }) => results.map(({ rule }) => rule)));
  return [...rules].map((rule) => {
    const mine = rounds.flatMap(({ results }) => results.filter((result) => result.rule === rule));
    const checked = sum(mine.map((result) => result.checked));
    const wrong = sum(mine.map(({ violations }) => violations.length));
    const attributed = mine.flatMap((result) => result.attributed ?? []);
    const unjudged = mine.flatMap((result) => result.unjudged ?? []);
    const excused = sum(mine.map(excusedIn));
    return { rule, checked, excused, wrong, attributed, unjudged };
  });
}

/** The commits of its rounds. */
export function commitsOf({ rounds, commit }: ChaosFigures & { readonly commit: string }): string {
  return [...new Set(rounds.map((round) => round.commit ?? commit))].join(", ");
}

export function summaryOf({ rounds }: ChaosFigures): string {
  const total = (name: "orders" | "callbacks" | "events" | "disturbances") =>
    sum(rounds.map((round) => round[name])).toLocaleString("en-US");
  return `${total("callbacks")} callbacks of ${total("orders")} orders, ${total("events")} events received, ${total("disturbances")} disturbances`;
}
