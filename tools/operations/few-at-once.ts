/**
 * Does the work for each item, some at a time, and returns the results in the items' order. After a failure nothing new
 * starts, and what has started is finished before the error is thrown.
 */
export async function fewAtOnce<T, R>(
  items: Iterable<T>,
  work: (item: T) => Promise<R>,
  mostAtOnce = 16,
): Promise<R[]> {
  const results: R[] = [];
  const failures: unknown[] = [];
  const remaining = [...items].entries();
  const worker = async () => {
    for (const [index, item] of remaining) {
      if (failures.length > 0) return;
      try {
        results[index] = await work(item);
      } catch (error) {
        failures.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: mostAtOnce }, worker));
  if (failures.length > 0) throw failures[0];
  return results;
}
