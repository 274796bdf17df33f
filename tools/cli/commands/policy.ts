import * as z from "zod";
import {
  operatorPolicy,
  type PolicyName,
  policyNames,
} from "../../operations/policy/operator-policy.ts";
import type { PolicyDocument } from "../../operations/policy/policy-document.ts";
import { type Terminal, UsageError } from "../frame/command.ts";
import { exitCodes } from "../frame/exit-codes.ts";
import { ownCommand } from "../frame/read-arguments.ts";
import { withTarget } from "../frame/target-command.ts";

/** `npx paycast policy`: what to attach to the roles of operators. */
export const policy = ownCommand(
  {
    name: "policy",
    about: [
      "Prints an IAM policy for operators of a deployed stack, with the ARNs of its queues, tables, functions, logs, secrets and KMS keys. It changes nothing.",
    ],
    examples: [
      "policy look --stack Paycast > look.json",
      "policy act --stack Paycast --part 2 > act-2.json",
    ],
  },
  {
    summary:
      "look allows reading. act, in addition to look, allows redrive, dismiss, replay, order --ask and smoke tests. keys, in addition to both, allows reading and changing the merchants' keys, and calling the payment service.",
    input: z.object({
      name: z.enum(policyNames).meta({
        description: "which policy",
        placeholder: policyNames.join("|"),
      }),
      part: z.coerce
        .number("must be a number")
        .optional()
        .meta({ description: "only this document, counted from 1", placeholder: "N" }),
    }),
    words: ["name"],
    run: async ({ name, part }, frame, terminal) => {
      const documents = await withTarget(frame, async (target) => {
        if (target.stack.kind === "deployed") return await operatorPolicy(target, name);
        throw new UsageError("Give --stack NAME: a policy is for a deployed stack.");
      });
      if (frame.json === true) terminal.out(textOf(documents));
      else printParts(terminal, name, documents, part);
      return exitCodes.success;
    },
  },
);

function printParts(
  terminal: Terminal,
  name: PolicyName,
  documents: readonly PolicyDocument[],
  part: number | undefined,
): void {
  const count = documents.length;
  if (part === undefined) {
    terminal.out(documents.map(textOf).join("\n"));
    if (count > 1) terminal.err(`There are ${count} policies. --part N prints one of them.\n`);
    return;
  }
  const document = documents[part - 1];
  if (document === undefined) {
    throw new UsageError(`The policy ${name} of this stack has parts from 1 to ${count}.`);
  }
  terminal.out(textOf(document));
}

function textOf(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
