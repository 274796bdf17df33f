import * as z from "zod";
import type { Desk } from "../desk.ts";
import type { Job } from "../server/jobs.ts";
import { type ApiRoute, change, view } from "../server/route.ts";

export interface JobsView {
  /** Newest first. */
  readonly jobs: readonly Job[];
}

export function jobRoutes({ jobs }: Desk): ApiRoute[] {
  return [
    view("/api/jobs", async (): Promise<JobsView> => ({ jobs: jobs.list() })),
    change("/api/jobs/:id/stop", z.object({}), async (_body, { parts }) => {
      jobs.stop(parts["id"] ?? "");
    }),
    change("/api/jobs/:id/close", z.object({}), async (_body, { parts }) => {
      jobs.close(parts["id"] ?? "");
    }),
  ];
}
