import type { StackView } from "../../routes/stack-routes.ts";
import { Link, type Place } from "../router.tsx";
import { FindBox } from "../views/find-box.tsx";
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
        <FindBox />
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
