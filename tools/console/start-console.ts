import type { AddressInfo } from "node:net";
import type { ConnectedTarget } from "../operations/ports/target.ts";
import { aheadMilliseconds, type ConsoleContext, type Lab } from "./console-context.ts";
import { consoleRoutes } from "./routes/console-routes.ts";
import { createAccess } from "./server/access.ts";
import { createJobs } from "./server/jobs.ts";
import { createLive } from "./server/live.ts";
import { createSharedReads } from "./server/look-cache.ts";
import { buildPage } from "./server/page-files.ts";
import { createSite } from "./server/serve.ts";

export interface ConsoleOptions {
  /** 0 uses any free port. */
  readonly port: number;
  /** Called when a page opens, because the local stack writes its description only after the console listens. */
  readonly findTarget: FindTarget;
  /** Only for the local stack. Without it the console is read-only. */
  readonly lab?: Lab;
  /** The local stack's stored token. Default: a new token that only this process knows. */
  readonly token?: string;
  /** Subscribes to changes in the local stack. Without it, pages poll. */
  readonly follow?: (changed: () => void) => () => void;
}

export interface RunningConsole {
  /** The address to open, token included. */
  readonly url: string;
  stop(): Promise<void>;
}

/** Serves the console on loopback. */
export async function startConsole(options: ConsoleOptions): Promise<RunningConsole> {
  let port = options.port;
  const access = createAccess(() => port, options.token);
  const live = createLive();
  const reads = createSharedReads();
  const changed = () => {
    reads.forget();
    live.changed();
  };
  const stopFollowing = options.follow?.(changed);
  const jobs = createJobs(changed);
  const stack = keepTarget(options.findTarget);
  const context: ConsoleContext = {
    ...stack,
    lab: options.lab,
    isLive: options.follow !== undefined,
    jobs,
    changed,
  };
  const page = await buildPage();
  const server = createSite({
    access,
    routes: consoleRoutes(context),
    page,
    live,
    reads,
    isReadOnly: options.lab === undefined,
    aheadMilliseconds: () => aheadMilliseconds(options.lab),
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject).listen(options.port, "127.0.0.1", resolve);
  });
  port = portOf(server.address());
  return {
    url: `http://127.0.0.1:${port}/?token=${access.token}`,
    stop: async () => {
      stopFollowing?.();
      await jobs.end();
      live.end();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await stack.forget();
    },
  };
}

function portOf(address: string | AddressInfo | null): number {
  return typeof address === "object" && address !== null ? address.port : 0;
}

export type FindTarget = () => Promise<ConnectedTarget>;

const freshMilliseconds = 5 * 60_000;

/** Finds the stack on first use, and again after some minutes: a deployment may have changed it. */
export function keepTarget(findTarget: FindTarget, now: () => number = Date.now) {
  let kept: { found: Promise<ConnectedTarget>; atMilliseconds: number } | undefined;
  const current = async (): Promise<ConnectedTarget> => {
    if (kept === undefined || now() - kept.atMilliseconds > freshMilliseconds) {
      const before = kept;
      kept = { found: find(findTarget, before?.found), atMilliseconds: now() };
      kept.found.catch(() => {
        kept = before;
      });
    }
    return await kept.found;
  };
  return {
    target: current,
    /** Closes the connections. */
    forget: async () => (await kept?.found.catch(() => undefined))?.close(),
  };
}

async function find(
  findTarget: FindTarget,
  before: Promise<ConnectedTarget> | undefined,
): Promise<ConnectedTarget> {
  const earlier = await before?.catch(() => undefined);
  return earlier === undefined ? await findTarget() : await earlier.findAgain();
}
