import { functionOutput, subscriberOutputs } from "../../../../shared/output-names.ts";
import type { Principal } from "../../../../tools/local/permissions/guard.ts";
import type { LocalDescription } from "../../../../tools/operations/local-stack/local-description.ts";

/** The outputs that a deployed stack with these resources would have. */
export function outputsOf(description: LocalDescription): Map<string, string> {
  const { api, queues, tables, functions, smoke } = description;
  return new Map([
    ["ApiUrl", api],
    ["CallbackUrl", `${api}/callbacks`],
    ["InboxQueueUrl", queues.inbox],
    ["InboxDeadLettersUrl", queues.inboxDeadLetters],
    ...(queues.captured === undefined ? [] : [["CapturedQueueUrl", queues.captured] as const]),
    ["CallbacksTable", tables.callbacks],
    ["OrdersTable", tables.orders],
    ["AuditLogGroup", "PaycastAudit"],
    ["Version", "0.1.0"],
    ...Object.entries(queues.subscribers).flatMap(([name, { url, deadLetters }]) => {
      const outputs = subscriberOutputs(name);
      return [[outputs.queueUrl, url] as const, [outputs.deadLettersUrl, deadLetters] as const];
    }),
    ...Object.entries(functions).map(([label, { name }]) => [functionOutput(label), name] as const),
    ...(smoke === undefined
      ? []
      : ([
          ["SmokeQueueUrl", smoke.queue],
          ["SmokeCallbackKeys", smoke.callbackKeys],
        ] as const)),
  ]);
}

/** As CloudFormation names it, without the function's name. */
export const receiverLogGroup = "Paycast-ReceiverLogs8A2F-x1";

/** What Lambda tells of each function, by its name in AWS. */
export function functionsOf(
  { functions }: LocalDescription,
  principals: readonly Principal[],
): Map<string, Record<string, unknown>> {
  const roleOf = (functionName: string) =>
    principals.find(({ name }) => name === functionName)?.arn;
  return new Map(
    Object.entries(functions).map(([label, { name, environment }]) => [
      name,
      {
        FunctionName: name,
        Role: roleOf(name),
        Runtime: "nodejs24.x",
        State: "Active",
        LastUpdateStatus: "Successful",
        Environment: { Variables: environment },
        LoggingConfig: {
          LogFormat: "Text",
          LogGroup: label === "receive-callback" ? receiverLogGroup : `${label}-logs`,
        },
      },
    ]),
  );
}

export function inboxMapping({ queues, functions }: LocalDescription): Record<string, unknown> {
  return {
    UUID: "7f1c0c53-0000-4000-8000-000000000001",
    FunctionArn: functions["process-callback"]?.name,
    EventSourceArn: arnOfQueue(queues.inbox),
    State: "Enabled",
    BatchSize: 10,
    FunctionResponseTypes: ["ReportBatchItemFailures"],
  };
}

function arnOfQueue(url: string): string {
  return `arn:aws:sqs:us-east-1:000000000000:${url.split("/").at(-1)}`;
}
