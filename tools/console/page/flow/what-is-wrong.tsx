import type { RingingAlarm } from "../../../operations/overview/read-alarms.ts";
import type { Flow } from "../../../operations/overview/read-flow.ts";
import { unreadParts } from "../../../operations/overview/unread.ts";
import { stackOption } from "../../../operations/stack-option.ts";
import { Badge, Copy, Outside } from "../parts/elements.tsx";
import { ShortTime } from "../parts/time.tsx";
import { Link } from "../router.tsx";
import { useStack } from "../use-view.ts";

interface WhatIsWrongProps {
  readonly flow: Flow;
  /** This local stack has no orders yet. */
  readonly isUnused: boolean;
}

/** What is wrong now: alarms in ALARM state, and data that cannot be read. The page computes no warnings of its own. */
export function WhatIsWrong({ flow, isUnused }: WhatIsWrongProps) {
  const unread = unreadParts(flow, stackOption(useStack()));
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

/**
 * An alarm goes off minutes after its cause, so "no alarm" is not shown in green: the numbers below may already be red.
 */
function Alarms({ alarms, isUnused }: AlarmsProps) {
  if (alarms.length === 0 && isUnused) return <FirstSteps />;
  if (alarms.length === 0) {
    return (
      <p class="notice plain" role="status">
        No active alarms.
      </p>
    );
  }
  return (
    <ul class="card alarms" aria-label="Active alarms">
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
          <Copy text={command} what={`first command: ${section}`} />
        </span>
      )}
    </li>
  );
}

/** A link if the config contains the runbook's URL. */
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
      <strong>No activity yet.</strong> <Link to="/tour">Take the tour</Link>: six scenarios, one
      click each. Or <Link to="/lab">create an order</Link>, pay it, and watch it here.
    </p>
  );
}
