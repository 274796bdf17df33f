import type { ComponentChildren } from "preact";
import type { Tone } from "../parts/small.tsx";
import { Clock } from "../parts/time.tsx";

interface StepProps {
  readonly at: string;
  readonly tone: Tone;
  readonly title: ComponentChildren;
  readonly children?: ComponentChildren;
}

/** One thing that happened: when, what, and what belongs to it. */
export function Step({ at, tone, title, children }: StepProps) {
  return (
    <li class={`step ${tone}`}>
      <span class="step-time number">
        <Clock at={at} />
      </span>
      <div class="step-body">
        <h3>{title}</h3>
        {children}
      </div>
    </li>
  );
}
