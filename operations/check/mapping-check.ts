import {
  type EventSourceMappingConfiguration,
  paginateListEventSourceMappings,
} from "@aws-sdk/client-lambda";
import type { Target } from "../target/target.ts";
import { type Check, faultsOr, problem, type Verdict, warning } from "./finding.ts";

/** Lambda reads the inbox for process-callback, and takes back only the messages that failed. */
export const mappingCheck: Check = {
  name: "inbox to process-callback",
  run: async (target) => {
    const FunctionName = target.functions.find(({ label }) => label === "process-callback")?.name;
    if (FunctionName === undefined) return [noMapping];
    const found = (await mappingsOf(target, FunctionName)).filter((mapping) =>
      isOfQueue(mapping, target.inbox.url),
    );
    return found.length === 0 ? [noMapping] : found.flatMap(verdictsOn);
  },
};

async function mappingsOf({ clients }: Target, FunctionName: string) {
  const mappings: EventSourceMappingConfiguration[] = [];
  const pages = paginateListEventSourceMappings({ client: clients.lambda }, { FunctionName });
  for await (const { EventSourceMappings = [] } of pages) mappings.push(...EventSourceMappings);
  return mappings;
}

function isOfQueue({ EventSourceArn = "" }: EventSourceMappingConfiguration, url: string): boolean {
  return EventSourceArn.split(":").at(-1) === url.split("/").at(-1);
}

const noMapping = problem(
  "No event source mapping reads the inbox: callbacks are stored and not processed.",
  "Deploy the stack again.",
);

function verdictsOn(mapping: EventSourceMappingConfiguration): readonly Verdict[] {
  const { UUID, State = "unknown", FunctionResponseTypes = [] } = mapping;
  const isPartial = FunctionResponseTypes.includes("ReportBatchItemFailures");
  const whole = problem(
    "It does not report failures per message: one failure repeats its whole batch.",
    "Deploy the stack again.",
  );
  return faultsOr(
    [...stateFaults(State, UUID), ...(isPartial ? [] : [whole])],
    "enabled, with failures per message",
  );
}

function stateFaults(state: string, uuid: string | undefined): readonly Verdict[] {
  if (state === "Enabled") return [];
  if (/^(Creating|Enabling|Updating)$/.test(state)) {
    return [warning(`It is ${state.toLowerCase()}.`, "Wait a minute, then check again.")];
  }
  return [
    problem(
      `It is ${state.toLowerCase()}: callbacks are stored and not processed.`,
      `aws lambda update-event-source-mapping --uuid ${uuid} --enabled`,
    ),
  ];
}
