/**
 * Works through items in lanes: those of one lane one after the other in their order, several lanes side
 * by side. `work` says whether its lane goes on.
 */
export async function inLanes<T>(
  items: readonly T[],
  laneOf: (item: T) => string,
  mostAtOnce: number,
  work: (item: T) => Promise<boolean>,
): Promise<void> {
  const lanes = [...new Set(items.map(laneOf))].map((lane) =>
    items.filter((item) => laneOf(item) === lane),
  );
  const workers = Array.from({ length: Math.min(mostAtOnce, lanes.length) }, async () => {
    for (let lane = lanes.shift(); lane !== undefined; lane = lanes.shift()) {
      for (const item of lane) if (!(await work(item))) break;
    }
  });
  await Promise.all(workers);
}
