import type { LabView } from "../../routes/lab-routes.ts";
import type { StackView } from "../../routes/stack-routes.ts";
import { useNow } from "../parts/time.tsx";
import { Link } from "../router.tsx";
import { useView } from "../use-view.ts";

interface ReaderProps {
  readonly name: string;
  readonly stack: StackView;
  /** Says how to read it, too. */
  readonly isLong?: boolean;
}

/** On the local stack, where no other team's code runs, that nobody reads a queue. */
export function NobodyReads(props: ReaderProps) {
  return props.stack.hasLab ? <UnlessRead {...props} /> : null;
}

/** A worker that waits for messages asks again within 20 seconds, the longest that SQS lets it wait. */
const silentMilliseconds = 25_000;

function UnlessRead({ name, isLong = false }: ReaderProps) {
  const { data } = useView<LabView>("/api/lab");
  const now = useNow();
  const consumer = data?.consumers.find(({ subscriber }) => subscriber === name);
  if (consumer?.mode !== "nobody") return null;
  if (consumer.readAt !== undefined && now - Date.parse(consumer.readAt) < silentMilliseconds)
    return null;
  return (
    <span class="below open-text">
      Nobody reads this queue. <Link to="/lab">Let a consumer read it</Link>
      {isLong && (
        <>
          {" "}
          in the Lab, or run a worker of your own: <code>examples/node-worker/README.md</code> shows
          one.
        </>
      )}
    </span>
  );
}
