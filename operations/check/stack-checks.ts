import { DescribeStacksCommand } from "@aws-sdk/client-cloudformation";
import { type Check, ok, problem, type Verdict, warning } from "./finding.ts";

/** The deployment as a whole: whether it ended, and whether command and stack fit together. */
export const stackChecks: readonly Check[] = [
  {
    name: "deployment",
    run: async ({ clients, name }) => {
      const command = new DescribeStacksCommand({ StackName: name });
      const { Stacks: [stack] = [] } = await clients.cloudFormation.send(command);
      return [statusVerdict(stack?.StackStatus ?? "unknown")];
    },
  },
  {
    name: "versions",
    run: async ({ version }, { commandVersion }) => [versionVerdict(version, commandVersion)],
  },
];

function statusVerdict(status: string): Verdict {
  if (status === "CREATE_COMPLETE" || status === "UPDATE_COMPLETE") return ok(status);
  if (status.endsWith("_IN_PROGRESS")) {
    return warning(`A deployment runs: ${status}.`, "Wait until it has ended, then check again.");
  }
  if (status === "UPDATE_ROLLBACK_COMPLETE") {
    const message = "The last deployment failed and was rolled back.";
    return warning(message, "Read the stack's events in CloudFormation, and deploy again.");
  }
  const message = `CloudFormation says ${status}: functions and resources may be of different versions.`;
  return problem(message, "Read the stack's events in CloudFormation, and repair the stack.");
}

function versionVerdict(stack: string | undefined, command: string): Verdict {
  if (stack === command) return ok(`command and stack are ${command}`);
  const told = stack ?? "a version that does not tell its number";
  return warning(
    `The command is ${command}, the stack ${told}.`,
    `Use the command of the version that is deployed, or deploy ${command}.`,
  );
}
