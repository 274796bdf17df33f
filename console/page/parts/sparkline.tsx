interface SparklineProps {
  readonly counts: readonly number[];
  /** Read out in place of the picture. */
  readonly label: string;
  readonly tone?: "plain" | "bad";
}

const height = 28;

/** One thin bar a minute. An idle minute keeps a trace, so that the line of time is seen. */
export function Sparkline({ counts, label, tone = "plain" }: SparklineProps) {
  const most = Math.max(1, ...counts);
  return (
    <svg
      class={`sparkline ${tone}`}
      viewBox={`0 0 ${counts.length * 3} ${height}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      {counts.map((count, minute) => {
        const bar = count === 0 ? 1 : Math.max(3, (count / most) * height);
        return <rect key={minute} x={minute * 3} y={height - bar} width={2} height={bar} />;
      })}
    </svg>
  );
}
