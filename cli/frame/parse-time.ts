import { UsageError } from "./command.ts";

const units: Readonly<Record<string, number>> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** "90s", "15m", "3h", "2d" before now, or a time or date of RFC 3339. Throws `UsageError`, naming the option. */
export function parseTime(text: string, option: string, nowMilliseconds: number): number {
  const [, count, unit = ""] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  if (count !== undefined) return nowMilliseconds - Number(count) * (units[unit] ?? 0);
  const isTime = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/.test(text);
  const milliseconds = isTime ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(milliseconds)) return milliseconds;
  throw new UsageError(
    `${option} must be like 90s, 15m, 3h or 2d ago, a date like 2026-11-15, or a time like 2026-11-15T09:30:00Z.`,
  );
}
