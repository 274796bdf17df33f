import type * as z from "zod";
import type { Target } from "../ports/target.ts";

/**
 * A value in a report. Each face shows a time and a tone in its own way; the console has links and lets people copy an
 * id.
 */
export type Cell =
  | string
  | { readonly time: string }
  | { readonly text: string; readonly tone: "good" | "open" | "bad" }
  | { readonly order: string }
  | { readonly payment: string }
  | { readonly id: string };

/** Names and values of one thing. */
export type Facts = readonly (readonly [name: string, value: Cell | undefined])[];

/**
 * What can be done about something: another operation of the same command. A page makes a button or a command of it.
 */
export interface Offer {
  readonly purpose: string;
  readonly verb: string;
  /** A field that the command line takes from a file has the file's name. */
  readonly input: Readonly<Record<string, unknown>>;
}

/** One of several things in a report. */
export interface Section {
  readonly title: string;
  readonly lines?: readonly string[];
  readonly facts?: Facts;
  /** Its parts. */
  readonly sections?: readonly Section[];
  readonly offers?: readonly Offer[];
}

export interface Table {
  readonly head: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
  /**
   * What other operations of the command take to name a row (`fromRows` in fields.ts). It is also the first cell: a page
   * chooses and opens rows by it, and does not show that column.
   */
  readonly ids?: readonly string[];
}

/** The result or the preview of an operation, as text. */
export interface Report<Data extends object = object> {
  /** Sentences. A terminal paints "Problem:", "Not now:" and "Warning:" at their beginning. */
  readonly lines: readonly string[];
  readonly facts?: Facts;
  readonly sections?: readonly Section[];
  readonly table?: Table;
  /** Sentences below the table. */
  readonly below?: readonly string[];
  /** A longer text, such as a payload. */
  readonly text?: string;
  /** The same as values, for scripts and pages. */
  readonly data: Data;
  /** The exact bytes of what is shown, for `--raw`. */
  readonly bytes?: Uint8Array;
  /** False if the result is negative, or if something is not done. */
  readonly isGood: boolean;
  /** It is not good because AWS or the payment service rejected the request or failed. */
  readonly isUnavailable?: boolean;
}

/** How longer work is ended, and who hears how far it is. */
export interface Work {
  readonly stopped: AbortSignal;
  readonly tell: (progress: string) => void;
}

/** What people read about an operation, and what it takes. */
export interface Described {
  /** The word after the command's name, and the end of the console's route. Absent if the command does only this. */
  readonly verb?: string;
  /** One or more sentences: what it does. */
  readonly summary: string;
  readonly input: z.ZodObject;
  /** The fields of the input that a command line takes without an option. Only the last may be a list. */
  readonly words?: readonly string[];
  /** What a command line must have besides required fields, as a usage shows it: "(ID... | --all)". */
  readonly requires?: string;
}

/** An operation that only reads. */
export interface Look extends Described {
  readonly kind: "look";
  /**
   * When it is stopped, it ends by itself: it returns the messages that it holds, or what it has found. For other
   * operations that only read, Ctrl-C does not wait.
   */
  readonly endsByItself?: boolean;
  /** Throws `wrong-usage` if the input does not fit. */
  readonly look: (target: Target, asked: unknown, work: Work) => Promise<Report>;
}

/** An operation that changes something: first it says what it would do, then it does exactly that. */
export interface Change extends Described {
  readonly kind: "change";
  /** The heading over its preview. */
  readonly title: string;
  readonly plan: (target: Target, asked: unknown, work: Work) => Promise<Planned>;
}

export interface Planned {
  readonly report: Report;
  /** The text of the confirmation, such as "Redrive 3"; undefined if there is nothing to do. */
  readonly yes: string | undefined;
  readonly act: (target: Target, work: Work) => Promise<Report>;
}

export type Operation = Look | Change;

/** The operations of one command, and what they have in common. */
export interface OperationGroup {
  readonly name: string;
  /** For the command's help and the documents. */
  readonly about: readonly string[];
  readonly operations: readonly Operation[];
  /** What follows `npx paycast` in a good example, or a whole line that has it. */
  readonly examples: readonly string[];
}
