import {
  operatorPolicy,
  type PolicyName,
  policyNames,
} from "../../operations/policy/operator-policy.ts";
import type { PolicyDocument } from "../../operations/policy/policy-document.ts";
import {
  type Command,
  type ExitCode,
  exitCodes,
  exitCodesText,
  type Terminal,
  UsageError,
} from "../frame/command.ts";
import { parseOptions } from "../frame/parse-options.ts";
import { targetHelp, targetOptions, withTarget } from "../frame/target-command.ts";

const options = { ...targetOptions, part: { type: "string" } } as const;

/** `npx paycast policy`: what to attach to the roles of operators. */
export const policy: Command = {
  help: `Usage: npx paycast policy look|act|keys --stack NAME [--part N]

Prints an IAM policy for the people who look after a deployed stack, with the ARNs of this stack. IAM takes
6,144 characters in a policy, so a stack with many subscribers needs several: they are printed one after the
other, and --part prints one of them. It changes nothing.

look    for people who look
act     for people who redrive, replay and run smoke tests; on top of look
keys    for people who may see keys and call the payment service; on top of both

Options
  --part N            only this document, counted from 1
${targetHelp}

With --json: a list of all documents.

Examples
  npx paycast policy look --stack Paycast > look.json
  npx paycast policy act --stack Paycast --part 2 > act-2.json

${exitCodesText}
`,
  run,
};

async function run([name, ...args]: readonly string[], terminal: Terminal): Promise<ExitCode> {
  const wanted = policyNames.find((known) => known === name);
  if (wanted === undefined) throw new UsageError(`Give ${policyNames.join(", ")}.`);
  const values = parseOptions(args, options);
  const documents = await withTarget(values, async (target) => {
    if (target.kind === "deployed") return await operatorPolicy(target, wanted);
    throw new UsageError("Give --stack NAME: a policy is for a deployed stack.");
  });
  if (values.json === true) terminal.out(textOf(documents));
  else printParts(terminal, wanted, documents, values.part);
  return exitCodes.success;
}

function printParts(
  terminal: Terminal,
  name: PolicyName,
  documents: readonly PolicyDocument[],
  part: string | undefined,
): void {
  const count = documents.length;
  if (part === undefined) {
    terminal.out(documents.map(textOf).join("\n"));
    if (count > 1) terminal.err(`These are ${count} policies. --part N prints one of them.\n`);
    return;
  }
  const document = documents[Number(part) - 1];
  if (document === undefined) {
    throw new UsageError(`The policy ${name} of this stack has parts from 1 to ${count}.`);
  }
  terminal.out(textOf(document));
}

function textOf(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
