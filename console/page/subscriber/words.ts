export function typeText(pattern: string): string {
  return pattern === "*" ? "every event" : pattern;
}

/** "1 event", "3 events". */
export function counted(count: number, thing: string): string {
  return `${count.toLocaleString("en-US")} ${thing}${count === 1 ? "" : "s"}`;
}
