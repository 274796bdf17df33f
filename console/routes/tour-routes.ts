import * as z from "zod";
import type { Desk } from "../desk.ts";
import { type ApiRoute, change, view } from "../server/route.ts";
import { scenarios } from "../tour/scenarios.ts";
import { createTour, type TourView } from "../tour/tour.ts";

const nothing = z.object({});

/** Only for the local stack. */
export function tourRoutes({ target, lab, jobs, changed }: Desk): ApiRoute[] {
  if (lab === undefined) return [];
  const tour = createTour({ scenarios, target, lab, jobs, changed });
  return [
    view("/api/tour", async (): Promise<TourView> => tour.view()),
    change("/api/tour/start", nothing, () => tour.start(undefined)),
    change("/api/tour/:name/start", nothing, (_body, { parts }) => tour.start(parts["name"] ?? "")),
    change("/api/tour/stop", nothing, async () => tour.stop()),
  ];
}
