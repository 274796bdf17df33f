import type { Shop } from "./shop.ts";

/** How often the service is asked from now on, by a fault of the simulator that does nothing but count. */
export function countQueries({ simulator }: Shop): () => Promise<number> {
  const most = 1_000;
  simulator.addFault({ kind: "slow-answer", seconds: 0, operation: "query", times: most });
  return async () => {
    const response = await fetch(`${simulator.url}/control/faults`);
    const { faults } = (await response.json()) as { faults: { seconds?: number; left: number }[] };
    return most - faults.find(({ seconds }) => seconds === 0)!.left;
  };
}
