import { useEffect, useRef, useState } from "preact/hooks";
import type { ListedRequest, RequestList } from "../../../operations/requests/requests.ts";
import { type ApiError, asApiError, read } from "../api.ts";
import { onChange } from "../live-updates.ts";
import { addressOf } from "../router.tsx";

/** What was found so far, newest first. */
interface Found {
  readonly requests: readonly ListedRequest[];
  /** Undefined until the first response arrives. */
  readonly readBackTo?: string;
  readonly isWhole: boolean;
  readonly isReading: boolean;
  readonly problem?: ApiError | undefined;
}

export interface Requests extends Found {
  readonly stop: () => void;
  /** Searches further back. */
  readonly readOn: () => void;
  /** Reloads the newest. */
  readonly refresh: () => void;
}

/** The query of the list. */
type Asked = Readonly<Record<string, string | undefined>>;

const nothing: Found = { requests: [], isWhole: false, isReading: true };
/** How many are read until the user asks for more. */
const most = 50;
/** Searching a log may take minutes. Short steps let the page show its progress. */
const callsOfOneLook = 24;

/** `isLive`: reload on each change. With CloudWatch that costs too much. */
export function useRequests(asked: Asked, isLive: boolean): Requests {
  const key = JSON.stringify(asked);
  const [found, setFound] = useState({ key, ...nothing });
  const reading = useRef<AbortController>(undefined);
  const start = (before: Found) => {
    reading.current?.abort();
    const own = new AbortController();
    reading.current = own;
    void readBackwards(asked, before, own.signal, (next) => {
      if (reading.current === own) setFound((last) => ({ ...last, key, ...next }));
    });
  };
  const shown = found.key === key ? found : nothing;
  const latest = useRef(shown);
  latest.current = shown;
  useEffect(() => {
    start(nothing);
    // A user who has searched further back keeps that list.
    const again = () => latest.current.requests.length <= most && start(nothing);
    const end = isLive ? onChange(again) : undefined;
    return () => {
      end?.();
      reading.current?.abort();
    };
  }, [key, isLive]);
  return {
    ...shown,
    stop: () => reading.current?.abort(),
    readOn: () => start(shown),
    refresh: () => start(nothing),
  };
}

async function readBackwards(
  asked: Asked,
  before: Found,
  signal: AbortSignal,
  tell: (next: Partial<Found>) => void,
): Promise<void> {
  let { requests, readBackTo, isWhole } = before;
  const enough = requests.length + most;
  tell({ isReading: true, problem: undefined });
  try {
    while (!isWhole && requests.length < enough) {
      const bounds = { limit: String(most), calls: String(callsOfOneLook) };
      const until = readBackTo ?? asked["until"];
      const address = addressOf(["api", "requests"], { ...asked, ...bounds, until });
      const list = await read<RequestList>(address, signal);
      const isStuck = list.readBackTo === readBackTo;
      requests = [...requests, ...list.requests];
      ({ readBackTo, isWhole } = list);
      tell({ requests, readBackTo, isWhole });
      if (isStuck) break;
    }
    tell({ isReading: false });
  } catch (error) {
    tell({ isReading: false, problem: signal.aborted ? undefined : asApiError(error) });
  }
}
