import { expect, test } from "vitest";
import { callbackWalks } from "./callback-walks.ts";
import { attention, functionWalks } from "./function-walks.ts";
import { queueWalks } from "./queue-walks.ts";
import { type Scene, useScene } from "./scene.ts";
import { cannotSell, failedQueries, storefrontWalks } from "./storefront-walks.ts";
import type { Walk } from "./walk.ts";

/** In the order in which they are taken on one stack. */
export const allWalks: readonly Walk[] = [
  ...callbackWalks,
  ...storefrontWalks,
  ...queueWalks,
  ...functionWalks,
];

/** `npm test` takes these. */
export const firstWalks: readonly Walk[] = [attention, cannotSell, failedQueries];

/** One test for each walk. A walk has heard each of its alarms ring and end. */
export function take(walks: readonly Walk[]): void {
  const scene: Scene = useScene();
  test.each(walks.map((walk) => [walk.section, walk.trouble, walk] as const))(
    "%s: %s",
    async (_section, _trouble, walk) => {
      scene.heard.rung.clear();
      scene.heard.ended.clear();
      await walk.take(scene);
      expect([...scene.heard.rung].toSorted()).toEqual(walk.alarms.toSorted());
      expect([...scene.heard.ended].toSorted()).toEqual(walk.alarms.toSorted());
    },
  );
}
