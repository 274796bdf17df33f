import { expect, test } from "vitest";
import { callbackWalks } from "./callback-walks.ts";
import { attention, functionWalks } from "./function-walks.ts";
import { keyWalks } from "./key-walks.ts";
import { queueWalks } from "./queue-walks.ts";
import { type Scene, useScene } from "./scene.ts";
import { cannotSell, failedQueries, storefrontWalks } from "./storefront-walks.ts";
import type { Walk } from "./walk.ts";

/** `npm test` takes these. */
export const firstWalks: readonly Walk[] = [attention, cannotSell, failedQueries];

/** The others of storefront, queues and functions. */
export const otherWalks: readonly Walk[] = [
  ...storefrontWalks,
  ...queueWalks,
  ...functionWalks,
].filter((walk) => !firstWalks.includes(walk));

export const allWalks: readonly Walk[] = [
  ...firstWalks,
  ...callbackWalks,
  ...keyWalks,
  ...otherWalks,
];

/** One test for each walk, all on one stack. A walk has heard each of its alarms ring and end. */
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
