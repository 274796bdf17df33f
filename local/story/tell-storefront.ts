import type { Colours } from "../../shared/terminal-text.ts";
import { because, causeOf, type FunctionLine, subjectOf, words } from "./function-line.ts";

/** What create-order did. */
export function tellCreation(line: FunctionLine, colours: Colours): string | undefined {
  const order = colours.bold(line.orderNo ?? "an order");
  if (line.outcome === "problem") {
    return because(words(order, colours.red("not created")), causeOf(line), line.serviceCode);
  }
  if (line.outcome !== "answered") return undefined;
  if (line.httpStatus !== 201) return words(order, "was created before, answered as it stands");
  const flags = line.Mismatch > 0 ? colours.yellow("[mismatch]") : undefined;
  return words(order, "created,", `payment ${line.paymentId}`, flags);
}

/** What query-order did. Answers and questions about unknown orders are not told: they change nothing. */
export function tellQuery(line: FunctionLine, colours: Colours): string | undefined {
  switch (line.outcome) {
    case "query-failed":
      return tellNoAnswer(line, colours);
    case "refund-status-answered":
      return words("a refund's status was answered about", subjectOf(line));
    case "problem":
      return (line.httpStatus ?? 0) < 500 ? undefined : tellNoAnswer(line, colours);
    default:
      return undefined;
  }
}

function tellNoAnswer(line: FunctionLine, { red }: Colours): string {
  return because(
    words(red("no answer"), "about", subjectOf(line)),
    causeOf(line),
    line.serviceCode,
  );
}
