const units = [
  ["day", 24 * 60 * 60_000],
  ["hour", 60 * 60_000],
  ["minute", 60_000],
  ["second", 1_000],
] as const;

/** A time with how long ago it was, or how far ahead it is. */
export function withAge(time: string, nowMilliseconds: number): string {
  const age = nowMilliseconds - Date.parse(time);
  const [unit, length] = units.find(([, size]) => Math.abs(age) >= size) ?? units[3];
  const count = age < 0 ? Math.round(-age / length) : Math.floor(age / length);
  const span = `${count} ${unit}${count === 1 ? "" : "s"}`;
  return `${time} (${age < 0 ? `in ${span}` : `${span} ago`})`;
}
