import type { RingingAlarm } from "../../../operations/overview/read-alarms.ts";
import type { Flow } from "../../../operations/overview/read-flow.ts";
import { unreadParts } from "../../../operations/overview/unread.ts";
import { Badge, Copy, Outside } from "../parts/elements.tsx";
import { ShortTime } from "../parts/time.tsx";
import { Link } from "../router.tsx";
import { useStack } from "../use-view.ts";

interface WhatIsWrongProps {
  readonly flow: Flow;
  /** Nobody has made an order yet on this local stack. */
  readonly isUnused: boolean;
}

/** What is wrong now: the alarms that ring, and what cannot be read. Nothing else is computed here. */
export function WhatIsWrong({ flow, isUnused }: WhatIsWrongProps) {
  const { kind, name } = useStack();
  const unread = unreadParts(flow, kind === "deployed" ? ` --stack ${name}` : "");
  return (
    <>
      {unread.length > 0 && (
        <ul class="notice bad warnings" aria-label="What cannot be read">
          {unread.map((text) => (
            <li key={text}>
              <Outside text={text} />
            </li>
          ))}
        </ul>
      )}
      {flow.alarms !== undefined && <Alarms alarms={flow.alarms} isUnused={isUnused} />}
    </>
  );
}

interface AlarmsProps extends Pick<WhatIsWrongProps, "isUnused"> {
  readonly alarms: readonly RingingAlarm[];
}

/** An alarm rings minutes after its cause, so silence is not green: the numbers below may already be red. */
function Alarms({ alarms, isUnused }: AlarmsProps) {
  if (alarms.length === 0 && isUnused) return <FirstSteps />;
  if (alarms.length === 0) {
    return (
      <p class="notice plain" role="status">
        No alarm rings.
      </p>
    );
  }
  return (
    <ul class="card alarms" aria-label="Alarms that ring">
      {alarms.map((alarm) => (
        <Alarm key={alarm.name} alarm={alarm} />
      ))}
    </ul>
  );
}

function Alarm({ alarm }: { readonly alarm: RingingAlarm }) {
  const { name, severity, section, since, text, command } = alarm;
  const tone = severity === "morning" ? "open" : "bad";
  return (
    <li class={tone}>
      <div>
        <span class="line">
          <strong title={name}>{section ?? name}</strong>
          {severity && <Badge tone={tone}>{severity}</Badge>}
          {since && (
            <span class="quiet">
              since <ShortTime at={since} />
            </span>
          )}
        </span>
        <span>{text}</span> <Runbook alarm={alarm} />
      </div>
      {command && (
        <span class="command">
          <code>{command}</code>
          <Copy text={command} what={`command to begin with: ${section}`} />
        </span>
      )}
    </li>
  );
}

/** A link if the config says where the runbook is. */
function Runbook({ alarm: { runbook } }: { readonly alarm: RingingAlarm }) {
  if (runbook === undefined) return null;
  if (!runbook.startsWith("https:")) return <code>{runbook}</code>;
  return (
    <a href={runbook} target="_blank" rel="noreferrer">
      Runbook
    </a>
  );
}

function FirstSteps() {
  return (
    <p class="notice plain" role="status">
      <strong>Nothing has happened yet.</strong> <Link to="/tour">Take the tour</Link>: six
      scenarios, one click each. Or <Link to="/lab">make an order</Link>, pay it, and watch it here.
    </p>
  );
}
