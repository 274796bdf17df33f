import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { StackView } from "../routes/console-routes.ts";

const Stack = createContext<StackView | undefined>(undefined);

/** Around everything that the page shows of a stack. */
export const StackProvider = Stack.Provider;

/** Which stack the page is about, and what it may do. It stays the same while the page is open. */
export function useStack(): StackView {
  const stack = useContext(Stack);
  if (stack === undefined) throw new Error("There is no stack above this component.");
  return stack;
}
