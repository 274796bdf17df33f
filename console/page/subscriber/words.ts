export function typeText(pattern: string): string {
  return pattern === "*" ? "every event" : pattern;
}
