import type * as z from "zod";
import { describeIssues } from "../../../shared/errors/describe-issues.ts";
import { PaycastError } from "../../../shared/errors/paycast-error.ts";
import { explainAwsError } from "../explain-error.ts";
import type { Target } from "../ports/target.ts";
import type { Change, Look, Planned, Report, Work } from "./description.ts";

type Asks<Input extends z.ZodObject, Result> = (
  target: Target,
  input: z.output<Input>,
  work: Work,
) => Promise<Result>;

interface LookOf<Input extends z.ZodObject> extends Omit<Look, "kind" | "input" | "look"> {
  readonly input: Input;
  readonly look: Asks<Input, Report>;
}

export function describeLook<Input extends z.ZodObject>({
  look,
  ...described
}: LookOf<Input>): Look {
  const { input } = described;
  return {
    kind: "look",
    ...described,
    look: async (target, asked, work) => await look(target, readInput(input, asked), work),
  };
}

interface ChangeOf<Input extends z.ZodObject> extends Omit<Change, "kind" | "input" | "plan"> {
  readonly input: Input;
  readonly plan: Asks<Input, Planned>;
}

export function describeChange<Input extends z.ZodObject>({
  plan,
  ...described
}: ChangeOf<Input>): Change {
  const { input } = described;
  return {
    kind: "change",
    ...described,
    plan: async (target, asked, work) => await plan(target, readInput(input, asked), work),
  };
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

const sameAgain = "Repeat the operation to continue.";
