import { smokeName } from "../../shared/smoke-merchant.ts";
import type { Colours } from "../../shared/terminal-text.ts";
import { type FunctionLine, words } from "./function-line.ts";
import { tellProcessing } from "./tell-processing.ts";
import { tellReceiving } from "./tell-receiving.ts";
import { tellReconciling } from "./tell-reconciling.ts";
import { tellCreation, tellQuery } from "./tell-storefront.ts";

type Tell = (line: FunctionLine, colours: Colours) => string | undefined;

const tellers: Readonly<Record<string, Tell>> = {
  "receive-callback": tellReceiving,
  "process-callback": tellProcessing,
  "create-order": tellCreation,
  "query-order": tellQuery,
  "reconcile-orders": tellReconciling,
};

/** One function's log line, told for a person. Undefined if nobody wants to know it. */
export function tellLine(line: FunctionLine, colours: Colours): string | undefined {
  if (line.outcome === "keys-problem") return tellKeysProblem(line, colours);
  return tellers[line.service]?.(line, colours);
}

/** Between smoke tests their merchant has no keys, and that is right. */
function tellKeysProblem(line: FunctionLine, { red, dim }: Colours): string | undefined {
  if (line.merchantId === smokeName) return undefined;
  const why = line.detail === undefined ? undefined : dim(`(${line.detail})`);
  return words(red("keys problem"), line.reason, line.merchantId, why);
}
