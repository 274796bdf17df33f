/** "1 event", "3 events", "12,000 events", "2 to 4 events". */
export function counted(count: number | string, thing: string): string {
  return `${count.toLocaleString("en-US")} ${thing}${String(count) === "1" ? "" : "s"}`;
}
