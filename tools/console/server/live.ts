import type { ServerResponse } from "node:http";

/** Combines changes within this time. */
const restMilliseconds = 250;
/** Keeps the connection alive for the page and any proxy. */
const heartbeatMilliseconds = 15_000;

export type Live = ReturnType<typeof createLive>;

/** The open pages that are notified of changes. */
export function createLive() {
  const pages = new Set<ServerResponse>();
  let resting: NodeJS.Timeout | undefined;
  let isMissed = false;
  const tell = (text: string) => {
    for (const page of pages) page.write(text);
  };
  const rest = () => {
    resting = setTimeout(() => {
      resting = undefined;
      if (isMissed) changed();
    }, restMilliseconds);
  };
  const changed = () => {
    isMissed = resting !== undefined;
    if (isMissed) return;
    tell("event: changed\ndata:\n\n");
    rest();
  };
  const heartbeat = setInterval(() => tell(":\n\n"), heartbeatMilliseconds);
  heartbeat.unref();
  return {
    /** Keeps the response open as a stream of server-sent events. */
    add: (response: ServerResponse) => {
      response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
      response.write("retry: 1000\n\nevent: changed\ndata:\n\n");
      pages.add(response);
      response.on("close", () => pages.delete(response));
    },
    /** Tells every page to reload. */
    changed,
    end: () => {
      clearInterval(heartbeat);
      clearTimeout(resting);
      for (const page of pages) page.end();
    },
  };
}
