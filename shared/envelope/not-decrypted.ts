import { PaycastError } from "../errors/paycast-error.ts";

/** What is known of a callback whose body no key decrypts. Fields that were not signed are undefined. */
interface SignedFields {
  readonly merchantId: string;
  readonly id: string | undefined;
  readonly eventName: string | undefined;
}

/**
 * Thrown for a callback whose signed ciphertext verifies and does not decrypt. It is not stored: nothing here could
 * decrypt it later, and the content hash of the same callback under the right key would differ.
 */
export class NotDecrypted extends PaycastError {
  override readonly name = "NotDecrypted";
  readonly callback: SignedFields;

  constructor(callback: SignedFields) {
    super("body-not-decrypted", "The signature is valid, but the body cannot be decrypted.", {
      retryable: true,
    });
    this.callback = callback;
  }
}
