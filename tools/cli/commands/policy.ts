import * as z from "zod";
import {
  operatorPolicy,
  type PolicyName,
  policyNames,
} from "../../operations/policy/operator-policy.ts";
import type { PolicyDocument } from "../../operations/policy/policy-document.ts";
import { exitCodes, type Terminal, UsageError } from "../frame/command.ts";
import { ownCommand } from "../frame/read-arguments.ts";
import { withTarget } from "../frame/target-command.ts";

/** `npx paycast policy`: what to attach to the roles of operators. */
export const policy = ownCommand(
  {
    name: "policy",
    about: [
      "Prints an IAM policy for the people who look after a deployed stack, with the ARNs of this stack's own queues, tables, functions, logs, secrets and KMS keys. It changes nothing.",
    ],
    examples: [
      "policy look --stack Paycast > look.json",
      "policy act --stack Paycast --part 2 > act-2.json",
    ],
  },
  {
    summary:
      "look is for people who look; act, on top of it, for people who redrive, replay and run smoke tests; keys, on top of both, for people who may see keys and call the payment service.",
    promises: [
      "IAM takes 6,144 characters in a policy. With many subscribers or merchants there are several, printed one after the other: `--part 1`, `--part 2` and so on print one each, and `--json` a list of all. Attach all parts to the role. After a change of the config (a subscriber, a merchant, a key) print and store them again. [Permissions](#permissions) says what each of the three is for.",
    ],
    input: z.object({
      name: z.enum(policyNames, `must be one of ${policyNames.join(", ")}`).meta({
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
        if (target.kind === "deployed") return await operatorPolicy(target, name);
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
    if (count > 1) terminal.err(`These are ${count} policies. --part N prints one of them.\n`);
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
