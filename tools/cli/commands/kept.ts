import * as z from "zod";
import { counted } from "../../../shared/number-text.ts";
import { findKept } from "../../operations/recovery/find-kept.ts";
import { deployedClients } from "../../operations/target/aws-clients.ts";
import { chosenStack, exitCodes, UsageError } from "../frame/command.ts";
import { ownCommand } from "../frame/read-arguments.ts";

/** `npx paycast kept`: the first step after a stack was lost. */
export const kept = ownCommand(
  {
    name: "kept",
    about: [
      "Prints what a deleted stack left in the account (tables, queues, secrets, the audit log), as the file that npx cdk import --resource-mapping reads. It changes nothing.",
    ],
    examples: ["kept --stack payments-prod > kept.json"],
  },
  {
    summary:
      "CloudFormation knows a deleted stack for 90 days. If several stacks of that name were deleted, it shows from when to when each lived: give the id (an ARN) of the one that held your data as --stack.",
    promises: ["[changing.md](changing.md#a-lost-stack) has the other steps."],
    input: z.object({}),
    frame: ["stack", "json", "local-time"],
    run: async (_options, frame, terminal) => {
      const stack = chosenStack(frame);
      if (stack === undefined) {
        throw new UsageError("Give --stack NAME: the stack that was deleted.");
      }
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
  },
);
