import {
  cipherModes,
  ivBytes,
  keyEncodings,
  type Profile,
  textEncodings,
} from "../../shared/envelope/profile.ts";
import type { FixedIv } from "./fixed-ivs.ts";

/** The part of a profile that says how a body is encrypted. */
export type CipherSettings = Pick<Profile, "cipher" | "iv" | "keyEncoding" | "bodyEncoding"> & {
  readonly fixedIv?: string;
};

/** Every way of encrypting that the profile can express, with these fixed IVs. */
export function allCipherSettings(fixedIvs: readonly FixedIv[]): CipherSettings[] {
  const modes = cipherModes.flatMap((cipher) => ivSettings(cipher, fixedIvs));
  return textEncodings.flatMap((bodyEncoding) =>
    keyEncodings.flatMap((keyEncoding) =>
      modes.map((mode) => ({ ...mode, keyEncoding, bodyEncoding })),
    ),
  );
}

type IvSettings = Pick<CipherSettings, "cipher" | "iv" | "fixedIv">;

function ivSettings(cipher: Profile["cipher"], fixedIvs: readonly FixedIv[]): IvSettings[] {
  if (cipher === "ECB") return [{ cipher, iv: "zero" }];
  return [
    { cipher, iv: "zero" },
    { cipher, iv: "prefixed" },
    ...distinctHex(fixedIvs, ivBytes[cipher]).map(
      (fixedIv): IvSettings => ({ cipher, iv: "fixed", fixedIv }),
    ),
  ];
}

/** Without the IV of zeros: `iv: "zero"` is the same and clearer. */
function distinctHex(ivs: readonly FixedIv[], length: number): string[] {
  const fitting = ivs.filter(({ bytes }) => bytes.length === length && bytes.some((b) => b !== 0));
  return [...new Set(fitting.map(({ bytes }) => bytes.toString("hex")))];
}
