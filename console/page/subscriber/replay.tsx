import { useState } from "preact/hooks";
import type { StackView } from "../../routes/stack-routes.ts";
import { Meaning } from "../parts/meaning.tsx";
import { ReadOnly } from "../parts/read-only.tsx";
import { type Asked, bodyOf, faultOf, firstAsked } from "./asked.ts";
import { ReplayButton } from "./replay-button.tsx";
import { Choices, Fields, Rate } from "./replay-fields.tsx";

interface ReplayProps {
  readonly name: string;
  readonly stack: StackView;
}

/** Sends recorded events to this subscriber again. */
export function Replay({ name, stack }: ReplayProps) {
  const [asked, setAsked] = useState<Asked>(firstAsked);
  const change = (news: Partial<Asked>) => setAsked({ ...asked, ...news });
  return (
    <section class="card">
      <h2>
        Replay to {name} <Meaning of="replay" />
      </h2>
      <p class="quiet">
        Sends recorded events again, the same bytes in the same order. Consumers recognise what they
        have by its id.
      </p>
      <ReadOnly stack={stack} />
      <Choices asked={asked} onChange={change} />
      <div class="tools">
        <Fields asked={asked} onChange={change} />
        <Rate asked={asked} onChange={change} />
        <ReplayButton
          label="Preview …"
          name={name}
          stack={stack}
          body={() => bodyOf(asked)}
          fault={faultOf(asked)}
        />
      </div>
    </section>
  );
}
