import { expect } from "vitest";
import { type DeployedStack, soundAlarm } from "../deployed-stack.ts";
import type { OperatedTarget } from "../use-operator.ts";

interface ExpectedFault {
  readonly check: string;
  readonly status: string;
  readonly message?: string | RegExp;
  readonly action?: string;
}

type PossibleFault = readonly [name: string, change: () => void, expected: ExpectedFault];

/** What can be wrong with a deployment, and the one finding that it must show as. */
export function possibleFaults(
  operated: Pick<OperatedTarget, "parts">,
  deployed: () => DeployedStack,
): readonly PossibleFault[] {
  const functionNamed = (label: string) => {
    const { name } = operated.parts().description.functions[label]!;
    return deployed().functions.get(name)!;
  };
  return [
    [
      "a deployment that failed halfway",
      () => (deployed().stackStatus = "UPDATE_ROLLBACK_FAILED"),
      { check: "deployment", status: "problem" },
    ],
    [
      "a deployment that was rolled back",
      () => (deployed().stackStatus = "UPDATE_ROLLBACK_COMPLETE"),
      { check: "deployment", status: "warning" },
    ],
    [
      "a stack of another version",
      () => deployed().outputs.set("Version", "0.0.9"),
      { check: "versions", status: "warning", message: "The command is 0.1.0, the stack 0.0.9." },
    ],
    [
      "a function that failed",
      () => Object.assign(functionNamed("process-callback"), { State: "Failed", StateReason: "x" }),
      {
        check: "function process-callback",
        status: "problem",
        message: "Lambda reports Failed: x.",
      },
    ],
    [
      "a function whose update failed",
      () => Object.assign(functionNamed("create-order"), { LastUpdateStatus: "Failed" }),
      { check: "function create-order", status: "problem" },
    ],
    [
      "a mapping that somebody disabled",
      () => Object.assign(deployed().mappings[0]!, { State: "Disabled" }),
      {
        check: "inbox to process-callback",
        status: "problem",
        action: expect.stringMatching(
          /^aws lambda update-event-source-mapping --uuid 7f1c.+ --enabled$/,
        ),
      },
    ],
    [
      "a mapping of another queue only",
      () => Object.assign(deployed().mappings[0]!, { EventSourceArn: "arn:aws:sqs:us-east-1:1:x" }),
      {
        check: "inbox to process-callback",
        status: "problem",
        message: /^No event source mapping/,
      },
    ],
    [
      "a stack without alarms",
      () => deployed().alarms.splice(0),
      { check: "alarms", status: "problem", message: "The stack has no alarms." },
    ],
    [
      "an alarm without a target",
      () => Object.assign(deployed().alarms[0]!, { AlarmActions: [] }),
      { check: "alarms", status: "warning", message: "1 of 2 alarms notify nobody." },
    ],
    [
      "an alarm that rings",
      () =>
        deployed().alarms.push({
          ...soundAlarm("Paycast-Refused"),
          StateValue: "ALARM",
          AlarmDescription: "Callbacks were refused. Check the keys.",
        }),
      {
        check: "alarms",
        status: "problem",
        message: "Paycast-Refused is in alarm.",
        action: "Callbacks were refused. Check the keys.",
      },
    ],
  ];
}
