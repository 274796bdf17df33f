import type { StackView } from "../../routes/stack-routes.ts";
import { addressOf, go, Link, type Place } from "../router.tsx";
import { menuOf } from "../views/page-views.tsx";
import { Badge } from "./small.tsx";

interface TopBarProps {
  readonly stack: StackView;
  readonly place: Place;
}

export function TopBar({ stack, place }: TopBarProps) {
  return (
    <header class="top">
      <div class="top-line">
        <Link to="/" class="brand">
          <Mark />
          Paycast
        </Link>
        <span class="stack-name">
          <Badge tone={stack.kind === "local" ? "plain" : "open"}>{stack.name}</Badge>
          {stack.kind === "deployed" && <span class="quiet">{stack.region}</span>}
          {!stack.canChange && <Badge>read-only</Badge>}
        </span>
        <Search />
      </div>
      <nav aria-label="Views">
        <ul>
          {menuOf(stack).map(({ name, title }) => (
            <li key={name}>
              <Link to={`/${name}`} current={(place.path[0] ?? "") === name}>
                {title}
              </Link>
            </li>
          ))}
          {stack.simulator !== undefined && (
            <li class="outside">
              <a href={stack.simulator} target="_blank" rel="noreferrer">
                Payment service ↗
              </a>
            </li>
          )}
        </ul>
      </nav>
    </header>
  );
}

function Mark() {
  return (
    <svg viewBox="0 0 32 32" width="26" height="26" aria-hidden="true">
      <rect width="32" height="32" rx="8" />
      <path d="M7 16h8m0 0 8-7m-8 7h9m-9 0 8 7" />
    </svg>
  );
}

/** One field for every kind of number: the server finds out what it is. */
function Search() {
  const search = (event: SubmitEvent) => {
    event.preventDefault();
    if (!(event.currentTarget instanceof HTMLFormElement)) return;
    const text = new FormData(event.currentTarget).get("text");
    if (typeof text === "string" && text.trim() !== "")
      go(addressOf(["find"], { text: text.trim() }));
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: <search> is not known to all browsers yet.
    <form class="search" role="search" onSubmit={search}>
      <input
        name="text"
        type="search"
        autocomplete="off"
        maxLength={200}
        aria-label="Order number, payment, callback or transaction"
        placeholder="Order, payment, callback, transaction"
      />
      <button type="submit">Find</button>
    </form>
  );
}
