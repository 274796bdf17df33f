import type { ComponentChildren } from "preact";
import type { LookView } from "../use-look.ts";
import { Ago } from "./time.tsx";

interface LookBarProps {
  readonly view: LookView<{ readonly lookedAt: string }>;
  /** What a look costs, or what it found. */
  readonly children?: ComponentChildren;
}

/** Says how old the look is, and looks again. */
export function LookBar({ view, children }: LookBarProps) {
  const { data, isLooking, lookAgain } = view;
  return (
    <p class="look-bar quiet">
      <span role="status">
        {isLooking && "Looking …"}
        {!isLooking && data !== undefined && (
          <>
            Looked <Ago at={data.lookedAt} />.
          </>
        )}
      </span>
      <span>{children}</span>
      <button type="button" class="small push" aria-disabled={isLooking} onClick={lookAgain}>
        Look again
      </button>
    </p>
  );
}
