import type { AddressInfo } from "node:net";
import type { Desk } from "./desk.ts";
import { type FindTarget, keepTarget } from "./keep-target.ts";
import type { Lab } from "./lab/lab.ts";
import { consoleRoutes } from "./routes/console-routes.ts";
import { createAccess } from "./server/access.ts";
import { createJobs } from "./server/jobs.ts";
import { createLive } from "./server/live.ts";
import { buildPage } from "./server/page-files.ts";
import { createSite } from "./server/serve.ts";
import { createSharedReads } from "./server/shared-reads.ts";

export interface ConsoleOptions {
  /** 0 takes any free port. */
  readonly port: number;
  /** Called when a page is opened: the local stack describes itself only after the console listens. */
  readonly findTarget: FindTarget;
  readonly canChange: boolean;
  /** Only for the local stack. */
  readonly lab?: Lab;
  /** The local stack keeps its token; without one, it is new at each start and nobody else has it. */
  readonly token?: string;
  /** Hears of every change in the local stack. Without it, pages look again at intervals. */
  readonly follow?: (changed: () => void) => () => void;
}

export interface RunningConsole {
  /** The address to open, token included. */
  readonly url: string;
  stop(): Promise<void>;
}

/** Serves the console on loopback. */
export async function startConsole(options: ConsoleOptions): Promise<RunningConsole> {
  const { canChange } = options;
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
  const desk: Desk = {
    ...stack,
    ...{ canChange, lab: options.lab, isLive: options.follow !== undefined },
    ...{ jobs, changed },
  };
  const page = await buildPage();
  const server = createSite({ access, routes: consoleRoutes(desk), page, live, reads, canChange });
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
