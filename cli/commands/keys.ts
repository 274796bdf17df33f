import { restore } from "../../operations/keys/restore-keys.ts";
import {
  type Command,
  type ExitCode,
  exitCodesText,
  type Terminal,
  UsageError,
} from "../frame/command.ts";
import { runOperation } from "../frame/described-command.ts";
import { changeHelp } from "../frame/target-command.ts";
import { runRotate, runSet } from "../keys/change.ts";
import { runCheck } from "../keys/check.ts";
import { runRevoke } from "../keys/revoke.ts";

/** `npx paycast keys`: checks, sets, rotates, revokes and restores the keys of a merchant. */
export const keys: Command = { help: helpText(), run };

async function run(args: readonly string[], terminal: Terminal): Promise<ExitCode> {
  const [verb, ...rest] = args;
  switch (verb) {
    case "check":
      return await runCheck(rest, terminal);
    case "set":
      return await runSet(rest, terminal);
    case "rotate":
      return await runRotate(rest, terminal);
    case "revoke":
      return await runRevoke(rest, terminal);
    case "restore":
      return await runOperation(restore, rest, terminal);
    default:
      throw new UsageError("Say what to do: keys check, set, rotate, revoke or restore.");
  }
}

function helpText(): string {
  return `Usage: npx paycast keys check [MERCHANT] [--hours N]
       npx paycast keys set MERCHANT FILES [--correct] [--force] [--unproven]
       npx paycast keys rotate MERCHANT FILES [--force] [--unproven]
       npx paycast keys revoke MERCHANT (--previous | --version ID | --current FILES)
       npx paycast keys restore MERCHANT [--only callback|request]

check   Reads each version of each secret as the functions do, tries the keys, and tells when a version
        was last used. Request keys are proven by a question to the payment service about a payment that
        is known: the answer 20000 is the proof. Exit code 1 if keys are not set or not valid.
set     Stores keys. They are parsed and tried first, put in as AWSPENDING, read back, and only then made
        current. The version before them becomes the previous one and verifies callbacks for its time.
        If the version before them is not valid, it is taken out, and a good previous one stays.
        Request keys that replace good ones are proven before they become current.
rotate  The same for keys that replace good ones: they must be other keys.
revoke  Takes a leaked version out. Functions that run use it for up to five minutes more.
restore Makes the previous version current again and takes the current one out, without files: for new
        keys that turn out to be wrong. A version that was revoked is not restored.

FILES   Either whole secrets, or single parts; parts that you leave out stay as they are.
  --callback-keys FILE         { "aesKey", "servicePublicKey", "profile"? } as JSON
  --request-keys FILE          { "aesKey", "merchantPrivateKey", "profile"? } as JSON
  --aes-key FILE               the AES key, for both secrets
  --service-public-key FILE    PEM, bare base64, or a certificate
  --merchant-private-key FILE  PEM or bare base64, without a passphrase
  --profile FILE               the wire profile as JSON, for both secrets

Options
  --correct           the current version was a mistake: take it out, do not keep it as the previous one
  --force             also if previous keys that are still in use are taken out by it
  --unproven          also if the payment service does not accept the new request keys, or cannot be asked
  --only KIND         for restore: the callback keys or the request keys; needed if both have a previous version
  --previous          revoke the previous version of both secrets
  --version ID        revoke this version, as "keys check" shows it
  --current           revoke the current version; needs the FILES of new keys
  --hours N           for check: look for use in the callbacks of N hours (24)
${changeHelp}

Keys are read from files and never printed. To compare a key with what the payment service shows:
  openssl pkey -pubin -in service.pem -outform DER | openssl sha256

Examples
  npx paycast keys check --stack Paycast
  npx paycast keys set shop-1 --callback-keys callback-keys.json --request-keys request-keys.json --yes
  npx paycast keys rotate shop-1 --service-public-key new-service.pem --stack Paycast
  npx paycast keys revoke shop-1 --previous --stack Paycast --yes
  npx paycast keys restore shop-1 --only request --stack Paycast

${exitCodesText}
`;
}
