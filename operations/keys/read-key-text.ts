import { X509Certificate } from "node:crypto";
import { keyEncodings, type Profile } from "../../shared/envelope/profile.ts";
import { parseAesKey, parsePrivateKey, parsePublicKey } from "../../shared/keys/parse-keys.ts";
import { PaycastError } from "../../shared/paycast-error.ts";

/** The weakest rules that a profile can have: here the form is read, the profile's rules are checked later. */
const anyRules = { minimumRsaBits: 1024, signaturePadding: "PSS" } as const;

/** The text of a public key as a secret holds it. A certificate gives its key. Throws `keys-invalid`, saying what to do. */
export function readPublicKeyText(text: string, field: string): string {
  if (text.includes("BEGIN CERTIFICATE")) return keyOfCertificate(text, field);
  if (/^\s*ssh-/.test(text)) {
    throw invalid(field, 'is in the form of SSH. Convert it with "ssh-keygen -e -m PKCS8 -f FILE"');
  }
  parsePublicKey(text, field, anyRules);
  return text;
}

/** The text of a private key as a secret holds it. Throws `keys-invalid`, saying what to do. */
export function readPrivateKeyText(text: string, field: string): string {
  if (text.includes("ENCRYPTED")) {
    throw invalid(
      field,
      'is protected by a passphrase, which a function cannot type. Take the passphrase off with "openssl pkey -in FILE -out PLAIN_FILE"',
    );
  }
  if (text.includes("BEGIN OPENSSH PRIVATE KEY")) {
    throw invalid(
      field,
      'is in the form of OpenSSH. Convert it with "ssh-keygen -p -m PKCS8 -f FILE"',
    );
  }
  if (/BEGIN (CERTIFICATE|[A-Z ]*PUBLIC KEY)/.test(text)) {
    throw invalid(field, "must be the merchant's private key, but is a public one");
  }
  parsePrivateKey(text, field, anyRules);
  return text;
}

/** Throws `keys-invalid`; if the key would be good in another encoding, the message names it. */
export function checkAesKeyText(text: string, field: string, profile: Profile): void {
  try {
    parseAesKey(text, field, profile.keyEncoding);
  } catch (error) {
    const fitting = encodingsOf(text, field);
    if (!(error instanceof PaycastError) || fitting.length === 0) throw error;
    const hint = `It is an AES key in ${fitting.join(" or ")}: say so with "keyEncoding" in the profile.`;
    throw new PaycastError("keys-invalid", `${error.message} ${hint}`);
  }
}

function encodingsOf(text: string, field: string): Profile["keyEncoding"][] {
  return keyEncodings.filter((encoding) => {
    try {
      parseAesKey(text, field, encoding);
      return true;
    } catch {
      return false;
    }
  });
}

function keyOfCertificate(text: string, field: string): string {
  try {
    const { publicKey } = new X509Certificate(text);
    return publicKey.export({ type: "spki", format: "pem" }).toString();
  } catch {
    throw invalid(field, "is a certificate that cannot be read");
  }
}

function invalid(field: string, problem: string): PaycastError {
  return new PaycastError("keys-invalid", `${field} ${problem}.`);
}
