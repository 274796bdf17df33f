#!/usr/bin/env bash
# Makes pss-keys.json: callbacks signed by openssl with keys that are marked as RSA-PSS. One key allows every hash;
# the other allows SHA-512 with a salt of 64 bytes and nothing else.
#   make-pss-vectors.sh FILE           needs openssl 3 and python3; new keys in every run
set -euo pipefail

target=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

aes_key=000102030405060708090a0b0c0d0e0f
plaintext='{"merchantId":"208812345678900018","referOrderNo":"SO-2026-000481","status":"confirming"}'
id=7f3c2a90-5b1e-4d7a-9c46-0e8d1f2b3a54

printf %s "$plaintext" | openssl enc -aes-128-cbc -K "$aes_key" -iv 00000000000000000000000000000000 |
  openssl base64 -A >body
printf %s "body=$plaintext&eventName=payment.order.confirming&id=$id&merchantId=208812345678900018&timestamp=1790000000000" >signed

vector() { # NAME HASH SALT_BYTES GENPKEY_OPTION...
  local name=$1 hash=$2 salt=$3
  shift 3
  openssl genpkey -quiet -algorithm RSA-PSS -pkeyopt rsa_keygen_bits:2048 "$@" -out "$name.private"
  openssl pkey -in "$name.private" -pubout -out "$name.public"
  openssl dgst "-$hash" -sign "$name.private" -sigopt rsa_padding_mode:pss -sigopt "rsa_pss_saltlen:$salt" signed |
    openssl base64 -A >"$name.sign"
  printf %s "$hash" >"$name.hash"
}

vector any-hash sha256 32
vector only-sha-512 sha512 64 -pkeyopt rsa_pss_keygen_md:sha512 -pkeyopt rsa_pss_keygen_mgf1_md:sha512 \
  -pkeyopt rsa_pss_keygen_saltlen:64

PLAINTEXT=$plaintext AES_KEY=$aes_key ID=$id python3 -B - "$target" <<'PYTHON'
import base64, json, os, pathlib, sys


def read(name):
    return pathlib.Path(name).read_text()


def vector(name):
    return {
        "name": name,
        "profile": {"signaturePadding": "PSS", "signatureHash": read(f"{name}.hash").upper().replace("SHA", "SHA-")},
        "aesKey": base64.b64encode(bytes.fromhex(os.environ["AES_KEY"])).decode(),
        "publicKey": read(f"{name}.public"),
        "privateKey": read(f"{name}.private"),
        "envelope": {"id": os.environ["ID"], "merchantId": "208812345678900018", "eventName": "payment.order.confirming",
                     "sign": read(f"{name}.sign"), "timestamp": 1790000000000, "body": read("body")},
        "plaintext": os.environ["PLAINTEXT"],
    }


vectors = [vector(name) for name in ("any-hash", "only-sha-512")]
pathlib.Path(sys.argv[1]).write_text(json.dumps(vectors, indent=2) + "\n")
PYTHON
