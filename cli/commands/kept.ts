import { findKept } from "../../operations/recovery/find-kept.ts";
import { deployedClients } from "../../operations/target/aws-clients.ts";
import { counted } from "../../shared/counted.ts";
import { chosenStack } from "../frame/choose-stack.ts";
import { type Command, exitCodes, exitCodesText, UsageError } from "../frame/command.ts";
import { localTimeOption } from "../frame/local-times.ts";
import { parseOptions } from "../frame/parse-options.ts";

const options = {
  stack: { type: "string" },
  json: { type: "boolean" },
  ...localTimeOption,
} as const;

/** `npx paycast kept`: the first step after a stack was lost. */
export const kept: Command = {
  help: `Usage: npx paycast kept --stack NAME > kept.json

Prints what a deleted stack left in the account (tables, queues, secrets, the audit log) as the file that
npx cdk import --resource-mapping reads. It changes nothing. CloudFormation knows a deleted stack for 90 days.

Options
  --stack NAME        the deleted stack, or its id (an ARN) if several stacks of that name were deleted;
                      without it, the one that PAYCAST_STACK names
  --json              changes nothing: the result is always JSON
  --local-time        show times in the zone of this machine; without it they are in UTC
  -h, --help          print this

Examples
  npx paycast kept --stack payments-prod > kept.json
  npx cdk import -c config=prod.json --resource-mapping kept.json

${exitCodesText}
`,
  run: async (args, terminal) => {
    const stack = chosenStack(parseOptions(args, options));
    if (stack === undefined) throw new UsageError("Give --stack NAME: the stack that was deleted.");
    const clients = deployedClients();
    try {
      const { stackId, mapping, others } = await findKept(clients.cloudFormation, stack);
      const count = Object.keys(mapping).length;
      terminal.err(`Kept of ${stackId}: ${counted(count, "resource")}.\n`);
      if (others.length > 0) terminal.err(`Kept too, and left out here: ${others.join(", ")}.\n`);
      terminal.out(`${JSON.stringify(mapping, null, 2)}\n`);
      return count === 0 ? exitCodes.negative : exitCodes.success;
    } finally {
      clients.destroy();
    }
  },
};
