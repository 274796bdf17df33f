"""Makes sent.json: callbacks as whole request texts, whose order, spaces and escapes a sender's serializer chose.

make-sent-vectors.py     needs openssl 3 and python3; takes the key of keys.json, and gives the same result in every run

A sender does what the interface says: it builds the object with the plain body, signs it, encrypts the body, puts both
in and sends the object. Python's json writes the texts, openssl encrypts and signs them. Nothing here is Paycast's.
"""

import base64
import json
import pathlib
import subprocess
import tempfile

HERE = pathlib.Path(__file__).parent
KEY = "test-openssl-2048"
AES_KEY = bytes(range(16))
RESULT = {"merchantId": "208812345678900018", "referOrderNo": "A/7 é", "status": "success", "paymentAmount": 129.9,
          "msg": "<b>'1&2=3'</b> 💳\u2028\x7f\n", "10": 1, "9": [2, {"b": None}]}
FIELDS = {"timestamp": 1790000000000, "merchantId": "208812345678900018", "id": "7f3c2a90-5b1e-4d7a-9c46-0e8d1f2b3a54",
          "eventName": "payment.order.success"}
FURTHER = {"10": 12345678901234567890, "2": {"url": "https://é.example/", "n": [1, 2.50]}, **FIELDS, "1": "last", "note": None, "empty": ""}
COMPACT = (",", ":")


def python(value):
    return json.dumps(value)


def python_unicode(value):
    return json.dumps(value, ensure_ascii=False)


def ascii_only(value):
    return json.dumps(value, separators=COMPACT)


def plain(value):
    return json.dumps(value, separators=COMPACT, ensure_ascii=False)


def php(value):
    """PHP escapes slashes too, and leaves U+007F as it is."""
    return ascii_only(value).replace("/", "\\/").replace("\\u007f", "\x7f")


def php_unicode(value):
    return plain(value).replace("/", "\\/").replace("\u2028", "\\u2028")


def go(value):
    return escape(plain(value), "<>&\u2028\u2029")


def gson(value):
    return escape(plain(value), "<>&='\u2028\u2029")


def escape(text, characters):
    return "".join(f"\\u{ord(one):04x}" if one in characters else one for one in text)


def indented(value):
    return json.dumps(value, indent=2, ensure_ascii=False)


def openssl(*arguments, data):
    return subprocess.run(["openssl", *arguments], input=data, capture_output=True, check=True).stdout


def encrypt(plaintext):
    sealed = openssl("enc", "-aes-128-cbc", "-K", AES_KEY.hex(), "-iv", "00" * 16, data=plaintext.encode())
    return base64.b64encode(sealed).decode()


def sign(text):
    pem = json.loads((HERE / "keys.json").read_text())[KEY]["private"]["pkcs8Pem"]
    with tempfile.NamedTemporaryFile("w") as key:
        key.write(pem)
        key.flush()
        return base64.b64encode(openssl("dgst", "-sha256", "-sign", key.name, data=text.encode())).decode()


def vector(name, profile, write, fields, signed_text):
    """The sign stands before the body, where it must go without a trace."""
    plaintext = write(RESULT)
    sent = {**fields, "sign": sign(signed_text(plaintext)), "body": encrypt(plaintext)}
    return {"name": name, "profile": profile, "aesKey": base64.b64encode(AES_KEY).decode(), "publicKey": KEY,
            "text": write(sent), "plaintext": plaintext}


def as_sent(style, write, fields=FIELDS):
    inside = lambda _: write({**fields, "body": RESULT})
    text = lambda plaintext: write({**fields, "body": plaintext})
    profile = {"signedForm": "json-as-sent", **({} if style == "plain" else {"jsonStyle": style})}
    name = f"{write.__name__}{'-further' if fields is FURTHER else ''}"
    return [vector(f"sent-{name}", profile, write, fields, text),
            vector(f"sent-{name}-inside", {**profile, "bodyInJson": "json"}, write, fields, inside)]


def in_order(value):
    return dict(sorted(value.items()))


def canonical(style, write):
    text = lambda plaintext: write(in_order({**FIELDS, "body": plaintext}))
    inside = lambda _: write(in_order({**FIELDS, "body": RESULT}))
    profile = {"signedForm": "canonical-json", **({} if style == "plain" else {"jsonStyle": style})}
    return [vector(f"sorted-{write.__name__}", profile, write, FIELDS, text),
            vector(f"sorted-{write.__name__}-inside", {**profile, "bodyInJson": "json"}, write, FIELDS, inside)]


def pairs():
    """Of the further fields a number and an object are written as in the request; null and empty ones are left out."""
    spelled = lambda value: value if isinstance(value, str) else plain(value)
    present = {name: value for name, value in FURTHER.items() if value not in (None, "")}
    text = lambda plaintext: "&".join(f"{name}={spelled(value)}" for name, value in {**present, "body": plaintext}.items())
    return vector("sent-pairs-further", {"signedForm": "pairs-as-sent"}, plain, FURTHER, text)


STYLES = {"plain": plain, "php": php, "php-unicode": php_unicode, "ascii": ascii_only, "python": python,
          "python-unicode": python_unicode, "go": go, "gson": gson}


def main():
    vectors = [one for style, write in STYLES.items() for one in as_sent(style, write) + canonical(style, write)]
    vectors += as_sent("plain", plain, FURTHER) + as_sent("python", python, FURTHER) + [pairs()]
    vectors.append(as_sent("plain", indented)[0])
    (HERE / "sent.json").write_text(json.dumps(vectors, indent=2) + "\n")
    print(f"sent.json: {len(vectors)} vectors")


if __name__ == "__main__":
    main()
