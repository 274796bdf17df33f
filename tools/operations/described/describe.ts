import type * as z from "zod";
import { describeIssues } from "../../../shared/describe-issues.ts";
import { PaycastError } from "../../../shared/paycast-error.ts";
import { explainAwsError } from "../target/explain-error.ts";
import type { Target } from "../target/target.ts";
import type { Change, Described, Known, Look, Planned, Report, Work } from "./description.ts";

type Asks<Input extends z.ZodObject, Result> = (
  target: Target,
  input: z.output<Input>,
  work: Work,
) => Promise<Result>;

type KnownOf<Input extends z.ZodObject> = {
  readonly input: Input;
  readonly known?: (input: z.output<Input>, directory: string) => Promise<Known>;
};

type LookOf<Input extends z.ZodObject> = Omit<Look, "kind" | "look" | keyof KnownOf<Input>> &
  KnownOf<Input> & { readonly look: Asks<Input, Report> };

export function describeLook<Input extends z.ZodObject>({
  look,
  known,
  ...described
}: LookOf<Input>): Look {
  const { input } = described;
  return {
    kind: "look",
    ...described,
    ...withKnown(input, known),
    look: async (target, asked, work) => await look(target, readInput(input, asked), work),
  };
}

type ChangeOf<Input extends z.ZodObject> = Omit<Change, "kind" | "plan" | keyof KnownOf<Input>> &
  KnownOf<Input> & { readonly plan: Asks<Input, Planned> };

export function describeChange<Input extends z.ZodObject>({
  plan,
  known,
  ...described
}: ChangeOf<Input>): Change {
  const { input } = described;
  return {
    kind: "change",
    ...described,
    ...withKnown(input, known),
    plan: async (target, asked, work) => await plan(target, readInput(input, asked), work),
  };
}

function withKnown<Input extends z.ZodObject>(
  input: Input,
  known: KnownOf<Input>["known"],
): Pick<Described, "known"> {
  if (known === undefined) return {};
  return { known: async (asked, directory) => await known(readInput(input, asked), directory) };
}

function readInput<Input extends z.ZodObject>(schema: Input, asked: unknown): z.output<Input> {
  const read = schema.safeParse(asked);
  if (read.success) return read.data;
  throw new PaycastError("wrong-usage", `${describeIssues(read.error, "The request")}.`);
}

/** The error of work that failed in the middle: it says what was done before, and why it failed. */
export function failedAfter(done: string, failure: unknown, goOn = sameAgain): unknown {
  const error = failure instanceof PaycastError ? failure : explainAwsError(failure);
  if (error === undefined) return failure;
  const message = `${done} Then it failed: ${error.message} ${goOn}`;
  return new PaycastError(error.code, message, { cause: failure });
}

const sameAgain = "Do the same again to go on.";
