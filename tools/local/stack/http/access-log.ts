import * as z from "zod";
import type { StackContext } from "../template/stack-context.ts";
import { StackError } from "../template/template.ts";

/** What API Gateway knows about a request after it was answered. */
export interface AccessEntry {
  readonly requestId: string;
  readonly atMilliseconds: number;
  /** Undefined if the request matched no route. */
  readonly routeKey: string | undefined;
  readonly status: number;
  readonly latencyMilliseconds: number;
  /** Undefined if no function was called. `status` is undefined if the function returned none. */
  readonly integration: { readonly status: number | undefined } | undefined;
}

/** Writes the line of the access log for a request. */
export interface AccessLog {
  /** The ARN of the log group. */
  readonly destination: string;
  /** The fields of a line. Each has a value in every line. */
  readonly fields: readonly string[];
  readonly lineOf: (entry: AccessEntry) => string;
}

/** API Gateway's text for a variable without a value. */
const none = "-";

/** API Gateway's variables. A format with any other variable is an error. */
const variables: Readonly<Record<string, (entry: AccessEntry) => string | number | undefined>> = {
  "$context.requestId": ({ requestId }) => requestId,
  "$context.requestTimeEpoch": ({ atMilliseconds }) => atMilliseconds,
  "$context.routeKey": ({ routeKey }) => routeKey,
  "$context.status": ({ status }) => status,
  "$context.responseLatency": ({ latencyMilliseconds }) => Math.round(latencyMilliseconds),
  "$context.error.responseType": () => undefined,
  // Lambda itself always answers here.
  "$context.integration.integrationStatus": ({ integration }) => integration && 200,
  "$context.integration.status": ({ integration }) => integration?.status,
  "$context.integration.latency": ({ integration, latencyMilliseconds }) =>
    integration && Math.round(latencyMilliseconds),
  // The id is not known outside of the function here.
  "$context.integration.requestId": () => undefined,
};

export const accessLogSchema = z.strictObject({ DestinationArn: z.string(), Format: z.string() });

const formatSchema = z.record(z.string(), z.string());

/** Reads the format that a stage declares: one JSON object whose values are variables. */
export function readAccessLog(declared: z.infer<typeof accessLogSchema>): AccessLog {
  const format = formatSchema.safeParse(parseFormat(declared.Format));
  if (!format.success) throw unknown(declared.Format, "a format that is no flat JSON object");
  const readers = Object.entries(format.data).map(([field, variable]) => {
    const read = Object.hasOwn(variables, variable) ? variables[variable] : undefined;
    if (read === undefined) throw unknown(declared.Format, variable);
    return [field, read] as const;
  });
  return {
    destination: declared.DestinationArn,
    fields: Object.keys(format.data),
    lineOf: (entry) => {
      const values = readers.map(([field, read]) => [field, String(read(entry) ?? none)] as const);
      return JSON.stringify(Object.fromEntries(values));
    },
  };
}

function parseFormat(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function unknown(format: string, part: string): StackError {
  const message = `The local stack cannot write an access log in the format ${format}: ${part}`;
  return new StackError("local-properties-unknown", message);
}

/** Whether a log group of the template is the one of the access log. */
export function isAccessLog(
  { destination }: AccessLog,
  logGroupName: string,
  context: StackContext,
): boolean {
  const found = context
    .declared("AWS::Logs::LogGroup")
    .find(({ identity }) => identity.ref === logGroupName);
  return found?.identity.attribute("Arn") === destination;
}
