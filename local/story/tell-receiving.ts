import type { Colours } from "../../shared/terminal-text.ts";
import { because, causeOf, type FunctionLine, subjectOf, words } from "./function-line.ts";

/** Who runs the check in another terminal must not take its line for trouble. */
const emptyBodyDetail = "npx paycast check sends one";

/** What receive-callback did with one request. An accepted callback is told when it is processed. */
export function tellReceiving(line: FunctionLine, { red, dim }: Colours): string | undefined {
  switch (line.outcome) {
    case "accepted":
      return line.keyStage === "previous"
        ? words(subjectOf(line), "verified with the previous keys")
        : undefined;
    case "not-authentic":
    case "not-an-envelope":
    case "source-not-allowed":
    case "too-large": {
      const detail = line.reason === "empty-body" ? emptyBodyDetail : line.detail;
      const why = detail === undefined ? undefined : dim(`(${detail})`);
      return words(red("refused"), line.reason, line.merchantId, why);
    }
    case "not-stored":
      return words(red("not stored"), causeOf(line), subjectOf(line) ?? line.merchantId);
    case "not-captured":
      return because(words("a refused callback was", red("not captured")), causeOf(line));
    default:
      return undefined;
  }
}
