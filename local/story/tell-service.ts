import { harmless } from "../../shared/terminal-text.ts";

/**
 * What the payment service's log says, without the lines that Paycast's own story tells better: an order that was
 * created, and a callback that Paycast answered, whatever the answer was.
 */
export function tellService(line: string): string | undefined {
  if (/^create .* → \S+$/.test(line) || /^callback .* → \d{3}$/.test(line)) return undefined;
  return `payment service: ${harmless(line)}`;
}
