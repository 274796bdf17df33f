import { localWarnings } from "../../../operations/overview/local-warnings.ts";
import type { RingingAlarm } from "../../../operations/overview/read-alarms.ts";
import type { Flow } from "../../../operations/overview/read-flow.ts";
import { unreadParts } from "../../../operations/overview/unread.ts";
import type { Warning } from "../../../operations/overview/warning.ts";
import { Badge, Outside } from "../parts/elements.tsx";
import { Meaning } from "../parts/meaning.tsx";
import { ShortTime, shortTime } from "../parts/time.tsx";
import { Link } from "../router.tsx";
import { stackNow } from "../stack-time.ts";
import { useStack } from "../use-view.ts";

interface WhatIsWrongProps {
  readonly flow: Flow;
  /** Nobody has made an order yet on this local stack. */
  readonly isUnused: boolean;
}

/** What is wrong now: the alarms that ring, and what cannot be read. */
export function WhatIsWrong({ flow, isUnused }: WhatIsWrongProps) {
  const unread = unreadParts(flow);
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
      {useStack().kind === "deployed" ? (
        flow.alarms !== undefined && <Alarms alarms={flow.alarms} />
      ) : (
        <LocalWarnings flow={flow} isUnused={isUnused} isSilent={unread.length > 0} />
      )}
    </>
  );
}

function Alarms({ alarms }: { readonly alarms: readonly RingingAlarm[] }) {
  if (alarms.length === 0) return <AllWell text="No alarm rings." />;
  return (
    <ul class="notice bad warnings alarms" aria-label="Alarms that ring">
      {alarms.map((alarm) => (
        <li key={alarm.name}>
          <Alarm alarm={alarm} />
        </li>
      ))}
    </ul>
  );
}

function Alarm({
  alarm: { name, severity, section, since, text },
}: {
  readonly alarm: RingingAlarm;
}) {
  return (
    <>
      <span class="line">
        <strong title={name}>{section ?? name}</strong>
        {severity && <Badge tone={severity === "morning" ? "open" : "bad"}>{severity}</Badge>}
        {since && (
          <span>
            since <ShortTime at={since} />
          </span>
        )}
      </span>
      <span>{text}</span> {section && <code>docs/runbook.md#{section}</code>}
    </>
  );
}

function AllWell({ text }: { readonly text: string }) {
  return (
    <p class="notice good" role="status">
      {text}
    </p>
  );
}

interface LocalWarningsProps extends WhatIsWrongProps {
  /** Something cannot be read, so nobody knows that all is well. */
  readonly isSilent: boolean;
}

/** The local stack has no alarms yet. */
function LocalWarnings({ flow, isUnused, isSilent }: LocalWarningsProps) {
  const warnings = localWarnings(flow, { nowMilliseconds: stackNow(), timeText: shortTime });
  const red = warnings.filter(({ isRed }) => isRed);
  const over = warnings.filter(({ isRed }) => !isRed);
  if (warnings.length === 0 && isUnused) return <FirstSteps />;
  return (
    <>
      {red.length > 0 && <WarningList warnings={red} tone="bad" label="What is wrong" />}
      {red.length === 0 && !isSilent && <AllWell text="Nothing is wrong." />}
      {over.length > 0 && (
        <WarningList warnings={over} tone="plain" label="Earlier in the last hour" />
      )}
    </>
  );
}

interface WarningListProps {
  readonly warnings: readonly Warning[];
  readonly tone: "bad" | "plain";
  readonly label: string;
}

function WarningList({ warnings, tone, label }: WarningListProps) {
  return (
    <ul class={`notice ${tone} warnings`} aria-label={label}>
      {warnings.map(({ message, word, look }) => (
        <li key={message}>
          <span>{message}</span> {word && <Meaning of={word} />}{" "}
          {look && <Link to={look.to}>{look.action}</Link>}
        </li>
      ))}
    </ul>
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
