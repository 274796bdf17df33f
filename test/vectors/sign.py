"""Seals every planned case in plain Python: sign.py WORK_FOLDER (laid out as plan.py says)."""

import base64
import hashlib
import json
import pathlib
import sys

import aes
import rsa


def read_settings(folder):
    lines = (folder / "settings").read_text().splitlines()
    return dict(line.split("=", 1) for line in lines)


def aes_key(case):
    decode = {"hex": bytes.fromhex, "base64": base64.b64decode, "utf-8": str.encode}
    return decode[case["keyEncoding"]](case["aesKey"])


def encrypt(plaintext, case):
    key, iv = aes_key(case), bytes.fromhex(case["ivHex"])
    if case["cipher"] == "ECB":
        return aes.encrypt_ecb(plaintext, key)
    modes = {"CBC": aes.encrypt_cbc, "GCM": aes.encrypt_gcm}
    sealed = modes[case["cipher"]](plaintext, key, iv)
    return iv + sealed if case["iv"] == "prefixed" else sealed


def encode(data, encoding, layout):
    if encoding == "hex":
        return data.hex().upper() if layout == "capitals" else data.hex()
    if encoding == "base64url":
        text = base64.urlsafe_b64encode(data).decode()
        return text if layout == "padded" else text.rstrip("=")
    return (base64.encodebytes if layout == "wrapped" else base64.b64encode)(data).decode()


def signed_text(folder, body, case):
    if case["signedForm"] == "body":
        return body
    fields = {path.name: path.read_bytes().decode() for path in (folder / "strings").iterdir()}
    fields |= {path.name: json.loads(path.read_text()) for path in (folder / "literals").iterdir()}
    inside = case["bodyInJson"] == "json"
    fields["body"] = "BODY GOES HERE" if inside else body
    unsigned = case["unsignedFields"].split()
    sent = case["order"].split()
    names = sent if case["signedForm"].endswith("as-sent") else sorted(fields, key=lambda name: name.encode("utf-16-be"))
    kept = {name: fields[name] for name in names if name not in unsigned}
    if case["signedForm"] != "json-as-sent":
        kept = {name: value for name, value in kept.items() if value not in ("", None)}
    if "json" in case["signedForm"]:
        text = json.dumps(kept, ensure_ascii=False, separators=(",", ":"))
        return text.replace('"BODY GOES HERE"', body) if inside else text
    return "&".join(f"{name}={value if isinstance(value, str) else json.dumps(value)}" for name, value in kept.items())


def sign(text, case, key, salt_label):
    if case["signaturePadding"] == "PKCS1-v1_5":
        return rsa.sign_pkcs1(text, key, case["signatureHash"])
    # Drawn from the case's name, so that another run gives the same signature.
    salt = hashlib.shake_256(f"salt {salt_label}".encode()).digest(int(case["saltBytes"]))
    return rsa.sign_pss(text, key, case["signatureHash"], salt)


def seal(work, folder, case):
    plaintext = (folder / "plaintext").read_bytes()
    body = encode(encrypt(plaintext, case), case["bodyEncoding"], case["layout"])
    signed = signed_text(folder, plaintext.decode() if case["signs"] == "plaintext" else body, case).encode()
    key = rsa.read_private_key((work / "keys" / f"{case['key']}.pem").read_text())
    signature = encode(sign(signed, case, key, folder.name), case["signatureEncoding"], case["layout"])
    out = folder / "out" / "python"
    out.mkdir(parents=True)
    for name, content in (("signed", signed), ("body", body.encode()), ("sign", signature.encode())):
        (out / name).write_bytes(content)


def main(work):
    for folder in sorted((work / "cases").iterdir()):
        case = read_settings(folder)
        if "python" in case["tools"].split():
            seal(work, folder, case)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
