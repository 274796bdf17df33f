import type { ComponentChildren } from "preact";
import type { StackView } from "../../routes/stack-routes.ts";
import { Link } from "../router.tsx";

interface InLabProps {
  readonly stack: StackView;
  readonly children: ComponentChildren;
}

/** On the local stack: how to bring something into an empty list. */
export function InLab({ stack, children }: InLabProps) {
  if (!stack.hasLab) return null;
  return (
    <p>
      {children} <Link to="/lab">Go to the Lab</Link>
    </p>
  );
}
