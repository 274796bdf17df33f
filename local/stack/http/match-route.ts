export interface Route<Target> {
  /** In API Gateway's notation: "POST /orders", "ANY /{proxy+}" or "$default". */
  readonly routeKey: string;
  readonly target: Target;
}

export interface MatchedRoute<Target> {
  readonly route: Route<Target>;
  readonly pathParameters: Readonly<Record<string, string>>;
}

/**
 * Finds the route as an HTTP API does. A full path wins over a greedy one, a fixed segment over a variable one, a named
 * method over ANY. `$default` gets all other requests.
 */
export function matchRoute<Target>(
  routes: readonly Route<Target>[],
  method: string,
  path: string,
): MatchedRoute<Target> | undefined {
  const candidates = routes.flatMap((route) => {
    const pathParameters = matchPath(route.routeKey, method, path);
    return pathParameters === undefined ? [] : [{ route, pathParameters }];
  });
  return candidates.sort((one, other) =>
    specificity(other.route.routeKey).localeCompare(specificity(one.route.routeKey)),
  )[0];
}

function matchPath(
  routeKey: string,
  method: string,
  path: string,
): Record<string, string> | undefined {
  if (routeKey === "$default") return {};
  const [routeMethod = "", pattern = ""] = routeKey.split(" ");
  if (routeMethod !== "ANY" && routeMethod !== method) return undefined;
  // The flag "s" lets a greedy variable match line breaks, because an order number may contain them.
  const found = new RegExp(`^${pattern.split("/").map(segmentPattern).join("/")}$`, "s").exec(path);
  if (found === null) return undefined;
  return { ...found.groups };
}

function segmentPattern(segment: string): string {
  const variable = /^\{(\w+)(\+?)\}$/.exec(segment);
  if (variable !== null) return `(?<${variable[1]}>${variable[2] === "+" ? ".+" : "[^/]+"})`;
  return segment.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

/** A text to sort by, so that the most specific route is last: the kind of each segment, then the method. */
function specificity(routeKey: string): string {
  if (routeKey === "$default") return "";
  const [method, pattern = ""] = routeKey.split(" ");
  const segments = pattern.split("/").map((segment) => {
    if (segment.endsWith("+}")) return "1";
    return segment.startsWith("{") ? "2" : "3";
  });
  return `${segments.join("")}${method === "ANY" ? "0" : "1"}`;
}
