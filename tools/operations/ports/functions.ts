import type { Unavailable } from "./available.ts";

export interface StackFunction {
  /** The name in this project, such as "process-callback". */
  readonly label: string;
  /** The name in AWS. */
  readonly name: string;
  readonly environment: Readonly<Record<string, string>>;
  /** The ARN of its role; a local function has none. */
  readonly role?: string | undefined;
  /** The log group of a deployed function. */
  readonly logGroup?: string | undefined;
}

/** What Lambda says of a function. */
export interface FunctionState {
  readonly runtime: string;
  /** `Active`, as Lambda writes it. */
  readonly state: string;
  readonly stateReason: string | undefined;
  /** `Successful`, as Lambda writes it. */
  readonly lastUpdate: string | undefined;
  readonly lastUpdateReason: string | undefined;
}

/** What lets Lambda read a queue for a function. */
export interface SourceMapping {
  readonly id: string;
  readonly queueName: string;
  /** `Enabled`, as Lambda writes it. */
  readonly state: string;
}

/** How many instances may run at the same time. */
export interface Concurrency {
  /** Of all functions of the account, in this region. */
  readonly limit: number;
  /** The part of it that is reserved for no function. */
  readonly unreserved: number;
  /** By the name of the function. It is also the most that the function can use. */
  readonly reserved: ReadonlyMap<string, number>;
}

/** What only Lambda knows. */
export interface Lambda {
  readonly concurrencyOf: (names: readonly string[]) => Promise<Concurrency>;
  readonly stateOf: (name: string) => Promise<FunctionState>;
  readonly mappingsOf: (name: string) => Promise<readonly SourceMapping[]>;
}

export interface Functions {
  readonly all: readonly StackFunction[];
  readonly lambda: Lambda | Unavailable;
}

export function findFunction(
  { all }: Pick<Functions, "all">,
  label: string,
): StackFunction | undefined {
  return all.find((known) => known.label === label);
}
