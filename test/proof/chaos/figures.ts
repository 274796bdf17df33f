/** What a rule found in a run. */
export interface RuleResult {
  readonly rule: string;
  readonly checked: number;
  readonly violations: readonly { readonly message: string; readonly orderNo?: string }[];
  readonly attributed?: readonly string[];
}

/** What one round did and found. */
export interface Round {
  readonly seed: number;
  readonly seconds: number;
  readonly orders: number;
  readonly callbacks: number;
  readonly events: number;
  readonly disturbances: number;
  /** For so long the machine had too much to do: errors of these times are not counted. */
  readonly busySeconds: number;
  readonly results: readonly RuleResult[];
}

export interface ChaosFigures {
  readonly rounds: readonly Round[];
}

export function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}

/** How much each rule looked at in all rounds, and how much was wrong. */
export function countsOf({ rounds }: ChaosFigures) {
  return (rounds[0]?.results ?? []).map(({ rule }) => {
    const mine = rounds.flatMap(({ results }) => results.filter((one) => one.rule === rule));
    const checked = sum(mine.map((one) => one.checked));
    const wrong = sum(mine.map(({ violations }) => violations.length));
    return { rule, checked, wrong, attributed: mine.flatMap((one) => one.attributed ?? []) };
  });
}

export function summaryOf({ rounds }: ChaosFigures): string {
  const total = (name: "orders" | "callbacks" | "events" | "disturbances") =>
    sum(rounds.map((round) => round[name])).toLocaleString("en-US");
  return `${total("callbacks")} callbacks of ${total("orders")} orders, ${total("events")} events received, ${total("disturbances")} disturbances`;
}
