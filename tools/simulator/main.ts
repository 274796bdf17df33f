import { resolve } from "node:path";
import { type Command, help, readCommand } from "./command-line.ts";
import {
  keepRotatedKeys,
  loadOrMakeKeys,
  readKeysFile,
  readProfileFile,
} from "./merchants/keys-folder.ts";
import type { SimulatorMerchant } from "./merchants/merchant.ts";
import { type Simulator, startSimulator } from "./start-simulator.ts";

async function run(command: Command): Promise<void> {
  const merchants = await merchantsOf(command);
  const folder = resolve(command.keysFolder);
  const simulator = await startSimulator({
    ...command,
    merchants,
    onRotate: (rotated) => keepRotatedKeys(folder, rotated),
    log: command.quiet ? undefined : (line) => console.log(line),
  });
  console.log(`Payment service simulator: ${simulator.url}`);
  console.log(`Control API: curl ${simulator.url}/control`);
  console.log(`Merchants: ${merchants.map(({ merchantId }) => merchantId).join(", ")}`);
  if (command.keyFiles.length === 0) console.log(`Keys: ${folder}`);
  stopOnSignals(simulator);
}

async function merchantsOf(command: Command): Promise<SimulatorMerchant[]> {
  if (command.keyFiles.length > 0) return await Promise.all(command.keyFiles.map(readKeysFile));
  const { profileFile } = command;
  const profile = profileFile === undefined ? undefined : await readProfileFile(profileFile);
  return await loadOrMakeKeys(resolve(command.keysFolder), command.merchants, profile);
}

function stopOnSignals(simulator: Simulator): void {
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => void simulator.stop().then(() => process.exit(0)));
  }
}

function fail(error: unknown): void {
  const taken = error instanceof Error && "code" in error && error.code === "EADDRINUSE";
  const message = error instanceof Error ? error.message : String(error);
  console.error(
    taken ? "Another program uses this port. Choose another one with --port." : message,
  );
  process.exitCode = 1;
}

try {
  const command = readCommand(process.argv.slice(2), process.env);
  if (command.help) console.log(help);
  else await run(command);
} catch (error) {
  fail(error);
}
