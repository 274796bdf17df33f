import { once } from "node:events";
import { withRunLock } from "../../../../tools/operations/replay/run-lock.ts";

/** Tries to take each lock that it is told of, and keeps it until the next message. */
const [directory = ""] = process.argv.slice(2);
process.on("message", async ({ lock }: { lock?: string }) => {
  if (lock === undefined) return;
  const hold = async () => {
    process.send!("entered");
    await once(process, "message");
  };
  try {
    await withRunLock(directory, lock, hold);
    process.send!("left");
  } catch (error) {
    process.send!(error instanceof Error && "code" in error ? error.code : String(error));
  }
});
process.send!("ready");
