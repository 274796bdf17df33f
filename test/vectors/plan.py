"""Lays out one folder per envelope to be made, in a form that bash, Java and Python read alike.

plan.py KEYS_JSON WORK_FOLDER

WORK/keys/NAME.pem      private keys, PKCS#8
WORK/cases/NAME/
  settings              name=value lines: the profile, the AES key as text, the IV, the RSA key's name
  strings/FIELD         the envelope's string fields, to the byte
  literals/FIELD        its numbers, booleans and nulls, as JSON spells them
  plaintext
WORK/plan.json          what assemble.py needs to put the envelopes together
"""

import base64
import hashlib
import json
import pathlib
import sys

from cases import callback_cases, request_cases

AES_TEXT = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_"
DIGEST_BYTES = {"SHA-1": 20, "SHA-256": 32, "SHA-512": 64}


def derived(label, length):
    """Bytes that look random and are the same in every run."""
    return hashlib.shake_256(label.encode()).digest(length)


def key_text(case):
    raw = derived(f"aes {case['name']}", case["keyBits"] // 8)
    encoding = case["profile"].get("keyEncoding", "base64")
    if encoding == "utf-8":
        return "".join(AES_TEXT[byte % 64] for byte in raw)
    return raw.hex() if encoding == "hex" else base64.b64encode(raw).decode()


def iv_hex(case):
    profile = case["profile"]
    length = {"CBC": 16, "GCM": 12, "ECB": 0}[profile.get("cipher", "CBC")]
    placement = profile.get("iv", "zero")
    if placement == "fixed":
        return profile["fixedIv"]
    return derived(f"iv {case['name']}", length).hex() if placement == "prefixed" else "00" * length


def settings(case):
    profile = case["profile"]
    hash_name = profile.get("signatureHash", "SHA-256")
    return {
        "cipher": profile.get("cipher", "CBC"),
        "iv": profile.get("iv", "zero"),
        "ivHex": iv_hex(case),
        "keyEncoding": profile.get("keyEncoding", "base64"),
        "aesKey": key_text(case),
        "bodyEncoding": profile.get("bodyEncoding", "base64"),
        "signatureHash": hash_name,
        "signaturePadding": profile.get("signaturePadding", "PKCS1-v1_5"),
        "saltBytes": str(case.get("saltBytes", DIGEST_BYTES[hash_name])),
        "signatureEncoding": profile.get("signatureEncoding", "base64"),
        "signedForm": profile.get("signedForm", "sorted-pairs"),
        "signs": profile.get("signs", "plaintext"),
        "bodyInJson": profile.get("bodyInJson", "text"),
        "order": " ".join(name for name in case["fields"] if name != "sign"),
        "unsignedFields": " ".join(profile.get("unsignedFields", [])),
        "layout": case.get("layout", "plain"),
        "key": case["key"],
        "tools": " ".join(case["tools"]),
    }


def write_case(folder, case):
    for part in ("strings", "literals"):
        (folder / part).mkdir(parents=True)
    text = "".join(f"{name}={value}\n" for name, value in settings(case).items())
    (folder / "settings").write_text(text)
    (folder / "plaintext").write_bytes(case["plaintext"].encode())
    for name, value in case["fields"].items():
        if name in ("sign", "body"):
            continue
        part = "strings" if isinstance(value, str) else "literals"
        spelled = value if isinstance(value, str) else json.dumps(value)
        (folder / part / name).write_bytes(spelled.encode())


def main(keys_path, work):
    keys = json.loads(pathlib.Path(keys_path).read_text())
    (work / "keys").mkdir()
    for name, key in keys.items():
        (work / "keys" / f"{name}.pem").write_text(key["private"]["pkcs8Pem"])
    planned = {"callbacks": callback_cases(), "requests": request_cases()}
    for case in planned["callbacks"] + planned["requests"]:
        write_case(work / "cases" / case["name"], case)
        case["aesKey"] = key_text(case)
    (work / "plan.json").write_text(json.dumps(planned))


if __name__ == "__main__":
    main(sys.argv[1], pathlib.Path(sys.argv[2]))
