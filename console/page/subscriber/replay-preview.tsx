import { counted } from "../../../shared/counted.ts";
import { durationText } from "../../../shared/duration-text.ts";
import type { ReplayPreview } from "../../routes/replay-routes.ts";
import { Outside } from "../parts/outside.tsx";
import { Ago } from "../parts/time.tsx";

interface ReplayTextProps {
  readonly preview: ReplayPreview;
  readonly name: string;
}

/** What a replay would send, and what it leaves out. */
export function ReplayText({ preview, name }: ReplayTextProps) {
  const { count, pending, unwanted, eventsPerSecond } = preview;
  if (count === 0) return <Nothing preview={preview} name={name} />;
  const seconds = Math.ceil(count / eventsPerSecond);
  return (
    <>
      <p>
        {pending === undefined && "At most "}
        {counted(count, "event")} would be sent to {name}. It takes at least{" "}
        {durationText(Math.max(1, seconds))}.
      </p>
      <Found preview={preview} />
      <LeftOut count={unwanted}>left out: {name} does not want them, by its filter.</LeftOut>
      <LeftOut count={pending ?? 0}>
        left out: their first delivery is still on its way. If that lasts, something is wrong with
        its queue.
      </LeftOut>
      {pending === undefined && (
        <p class="quiet">
          Events that {name} has not got for the first time yet are skipped: their first delivery
          sends them.
        </p>
      )}
      <p class="quiet">Live events go on meanwhile and may overtake it.</p>
    </>
  );
}

function Found({ preview }: Pick<ReplayTextProps, "preview">) {
  const { count, byType, first, last, sample } = preview;
  return (
    <>
      <dl>
        {Object.entries(byType).map(([type, of]) => (
          <>
            <dt key={type}>{type}</dt>
            <dd>{of.toLocaleString("en-US")}</dd>
          </>
        ))}
        {first !== undefined && last !== undefined && (
          <>
            <dt>Recorded</dt>
            <dd>{first === last ? <Ago at={first} /> : <Range first={first} last={last} />}</dd>
          </>
        )}
      </dl>
      <ul class="sample">
        {sample.map(({ id, subject, type, sequence }) => (
          <li key={id}>
            <Outside text={subject ?? "no order"} />{" "}
            <span class="quiet">
              {type}, event {sequence}
            </span>
          </li>
        ))}
        {count > sample.length && (
          <li class="quiet">and {(count - sample.length).toLocaleString("en-US")} more</li>
        )}
      </ul>
    </>
  );
}

function Range({ first, last }: { readonly first: string; readonly last: string }) {
  return (
    <>
      <Ago at={first} /> to <Ago at={last} />
    </>
  );
}

function Nothing({ preview: { unwanted, pending = 0 }, name }: ReplayTextProps) {
  if (unwanted + pending === 0) {
    return <p>No recorded event matches. Records expire after a while.</p>;
  }
  return (
    <>
      <p>There is nothing to send to {name}.</p>
      <LeftOut count={unwanted}>left out: {name} does not want them, by its filter.</LeftOut>
      <LeftOut count={pending}>left out: their first delivery is still on its way.</LeftOut>
    </>
  );
}

interface LeftOutProps {
  readonly count: number;
  readonly children: string | readonly string[];
}

function LeftOut({ count, children }: LeftOutProps) {
  if (count === 0) return null;
  return (
    <p class="open-text">
      {counted(count, "event")} {children}
    </p>
  );
}
