/** A small in-memory cache of this instance. Entries expire, and the oldest are removed first. */
export interface ExpiringCache<T> {
  readonly get: (key: string) => T | undefined;
  readonly set: (key: string, value: T) => void;
}

export function createExpiringCache<T>(
  mostEntries: number,
  milliseconds: number,
  now: () => number,
): ExpiringCache<T> {
  const entries = new Map<string, { readonly value: T; readonly endsAt: number }>();
  return {
    get: (key) => {
      const entry = entries.get(key);
      return entry !== undefined && entry.endsAt > now() ? entry.value : undefined;
    },
    set: (key, value) => {
      entries.delete(key);
      entries.set(key, { value, endsAt: now() + milliseconds });
      const [oldest] = entries.keys();
      if (entries.size > mostEntries && oldest !== undefined) entries.delete(oldest);
    },
  };
}
