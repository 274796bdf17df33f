const mostAtOnce = 16;

/**
 * Does the work for each item, some at a time, and gives the results in the items' order. After a failure nothing new
 * begins, and what has begun is finished before the error is thrown.
 */
export async function fewAtOnce<T, R>(
  items: readonly T[],
  work: (item: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  for (let at = 0; at < items.length; at += mostAtOnce) {
    const ends = await Promise.allSettled(items.slice(at, at + mostAtOnce).map(work));
    for (const end of ends) {
      if (end.status === "rejected") throw end.reason;
      results.push(end.value);
    }
  }
  return results;
}
