import { PaycastError } from "./errors/paycast-error.ts";

/**
 * Replaces the SDK's default credential chain in the bundles. Lambda always puts a function's credentials in its
 * environment, so every cold start would load the chain's other sources (files, single sign-on, web identity, instance
 * metadata), about 130 KB of code, and never use them.
 */
export function defaultProvider() {
  return async () => {
    const accessKeyId = process.env["AWS_ACCESS_KEY_ID"];
    const secretAccessKey = process.env["AWS_SECRET_ACCESS_KEY"];
    const sessionToken = process.env["AWS_SESSION_TOKEN"];
    if (!accessKeyId || !secretAccessKey) {
      throw new PaycastError("credentials-missing", "the environment holds no AWS credentials");
    }
    return { accessKeyId, secretAccessKey, ...(sessionToken && { sessionToken }) };
  };
}
