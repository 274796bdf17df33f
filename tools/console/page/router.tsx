import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { decodePathPart, encodePathPart } from "../path-part.ts";

export type Query = Readonly<Record<string, string | undefined>>;

/** Where the page is. The URL is the only state that a reload must restore. app.tsx maps each path to its view. */
export interface Place {
  /** The parts of the path, decoded: ["orders", "ORDER-1"]. */
  readonly path: readonly string[];
  readonly query: Query;
}

function here(): Place {
  const path = location.pathname.split("/").filter((part) => part !== "");
  const query = [...new URLSearchParams(location.search)].filter(([, value]) => value !== "");
  return {
    path: path.map((part) => decodePathPart(part) ?? part),
    query: Object.fromEntries(query),
  };
}

const moved = "paycast-moved";

export function usePlace(): Place {
  const [place, setPlace] = useState(here);
  useEffect(() => {
    const follow = () => setPlace(here());
    for (const name of ["popstate", moved]) addEventListener(name, follow);
    return () => {
      for (const name of ["popstate", moved]) removeEventListener(name, follow);
    };
  }, []);
  return place;
}

/** Navigates to another view. With `replace`, "back" skips the current one. */
export function go(address: string, { replace = false } = {}): void {
  if (replace) history.replaceState(null, "", address);
  else history.pushState(null, "", address);
  dispatchEvent(new Event(moved));
  if (!replace) scrollTo(0, 0);
}

/** Changes a part of the query, such as one field of a filter. Undefined removes it from the URL. */
export function setQuery(changed: Query, { replace = true } = {}): void {
  const { path, query } = here();
  go(addressOf(path, { ...query, ...changed }), { replace });
}

/** The URL of a view. Escapes every part, since an order number may contain any character. */
export function addressOf(parts: readonly string[], query: Query = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== "") search.set(name, value);
  }
  const text = search.toString();
  return `/${parts.map(encodePathPart).join("/")}${text === "" ? "" : `?${text}`}`;
}

interface LinkProps {
  readonly to: string;
  readonly children: ComponentChildren;
  readonly class?: string | undefined;
  readonly current?: boolean;
}

/** A link within the page. With a modifier key the browser handles it as usual. */
export function Link({ to, children, class: className, current }: LinkProps) {
  const follow = (event: MouseEvent) => {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    go(to);
  };
  return (
    <a href={to} class={className} aria-current={current ? "page" : undefined} onClick={follow}>
      {children}
    </a>
  );
}
