import type { StackView } from "../../routes/stack-routes.ts";

interface ReadOnlyProps {
  readonly stack: StackView;
  /** What cannot be done here: "redrive or dismiss". */
  readonly what: string;
}

/** In place of the buttons of a console that only reads. */
export function ReadOnly({ stack, what }: ReadOnlyProps) {
  if (stack.canChange) return null;
  return (
    <p class="quiet">
      This console only reads. To {what}, start it with <code>--allow-changes</code>, or use{" "}
      <code>npx paycast</code>.
    </p>
  );
}
