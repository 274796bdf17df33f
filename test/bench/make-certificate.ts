import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";

export interface Certificate {
  readonly key: string;
  readonly cert: string;
}

/** A certificate for 127.0.0.1, and its file, which NODE_EXTRA_CA_CERTS can name. */
export function makeCertificate(folder: string): Certificate & { readonly file: string } {
  const [keyFile, file] = [join(folder, "tls.key"), join(folder, "tls.pem")];
  const made = ["-keyout", keyFile, "-out", file, "-days", "1", "-nodes", "-subj", "/CN=sink"];
  const forLoopback = ["-addext", "subjectAltName=IP:127.0.0.1"];
  execFileSync("openssl", ["req", "-x509", "-newkey", "rsa:2048", ...made, ...forLoopback], {
    stdio: "ignore",
  });
  return { key: readFileSync(keyFile, "utf8"), cert: readFileSync(file, "utf8"), file };
}
