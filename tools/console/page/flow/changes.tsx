import type { Flow } from "../../../operations/overview/read-flow.ts";
import { Outside } from "../parts/elements.tsx";
import { ShortTime } from "../parts/time.tsx";

/** Changes of the last day: often the cause of a problem. */
export function LatestChanges({ flow: { changes, changesProblem } }: { readonly flow: Flow }) {
  if (changes.length === 0 && changesProblem === undefined) return null;
  return (
    <section class="changes" aria-label="Changes in the last day">
      <h2>Changed in the last day</h2>
      <ul>
        {changes.map(({ at, text, who }) => (
          <li key={`${at} ${text}`} title={who}>
            <Outside text={text} /> <ShortTime at={at} />
          </li>
        ))}
      </ul>
      {changesProblem !== undefined && (
        <p class="quiet">
          Some changes could not be read. <Outside text={changesProblem} />
        </p>
      )}
    </section>
  );
}
