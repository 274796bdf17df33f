/** Adds a value as the newest, and removes the oldest if there are more than `most`. */
export function keepNewest<Value>(
  kept: Map<string, Value>,
  name: string,
  value: Value,
  most: number,
): void {
  kept.delete(name);
  kept.set(name, value);
  for (const oldest of kept.keys()) {
    if (kept.size <= most) return;
    kept.delete(oldest);
  }
}
