import type { StackView } from "../../routes/stack-routes.ts";

/** In place of the buttons of a console that only reads. */
export function ReadOnly({ stack }: { readonly stack: StackView }) {
  if (stack.canChange) return null;
  return (
    <p class="quiet">
      This console only reads. To change something, start it with <code>--allow-changes</code>, or
      use <code>npx paycast</code>.
    </p>
  );
}
