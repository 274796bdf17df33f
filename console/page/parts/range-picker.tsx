import { type RangeName, rangeNames } from "../../../operations/telemetry/metric.ts";
import { addressOf, Link, type Place } from "../router.tsx";

const titles: Readonly<Record<RangeName, string>> = {
  "15m": "15 minutes",
  "1h": "hour",
  "1d": "day",
  "7d": "week",
};

/** The range in the address. */
export function rangeOf({ query }: Place): RangeName {
  return rangeNames.find((name) => name === query.get("range")) ?? "1h";
}

/** The ranges to choose from. The choice is kept in the address. */
export function RangePicker({ place }: { readonly place: Place }) {
  const chosen = rangeOf(place);
  return (
    <nav class="ranges" aria-label="Range of the charts">
      {rangeNames.map((name) => (
        <Link
          key={name}
          to={addressOf(place.path, { range: name === "1h" ? undefined : name })}
          current={name === chosen}
        >
          {titles[name]}
        </Link>
      ))}
    </nav>
  );
}
