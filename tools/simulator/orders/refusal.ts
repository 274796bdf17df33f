/** Codes other than 20000. The interface (§7) shows none, so these are the simulator's own. */
export const refusalCodes = {
  notAnEnvelope: 40_001,
  envelopeField: 40_002,
  unknownMethod: 40_003,
  unknownMerchant: 40_101,
  wrongSignature: 40_102,
  cannotDecrypt: 40_103,
  timestampOutsideWindow: 40_104,
  unknownPayment: 40_401,
  wrongState: 40_901,
  orderNoTaken: 40_902,
  bodyField: 42_201,
  refusedOnPurpose: 50_001,
} as const;

/** The service rejects a request: HTTP 200 with a code and a message (§2.2). */
export class Refusal extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.name = "Refusal";
    this.code = code;
  }
}
