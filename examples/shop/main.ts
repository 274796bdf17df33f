import { readSettings, SettingsError } from "./settings.ts";
import { startShop } from "./start-shop.ts";

/** `npm run shop`. */
async function main(): Promise<void> {
  const settings = await readSettings(process.env);
  const { stop } = await startShop(settings, (line) => console.log(line));
  console.log(`
The shop is open: ${settings.address}

  Paycast    ${settings.api}
  Queue      ${settings.queueUrl}

It keeps its orders in memory. Ctrl-C closes it.
`);
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => void stop().then(() => process.exit(0)));
  }
}

main().catch((error: unknown) => {
  console.error(error instanceof SettingsError ? error.message : error);
  process.exitCode = 1;
});
