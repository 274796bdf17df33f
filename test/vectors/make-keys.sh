#!/usr/bin/env bash
# Makes keys.json: RSA pairs for tests only, each in every spelling in which a merchant may be handed a key.
#   make-keys.sh FILE
set -euo pipefail

target=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

openssl_pair() { openssl genpkey -quiet -algorithm RSA -pkeyopt "rsa_keygen_bits:$2" -out "$1.pkcs8.pem"; }

jdk_pair() {
  keytool -genkeypair -alias test -keyalg RSA -keysize "$2" -dname CN=test -validity 1 \
    -keystore "$1.p12" -storetype PKCS12 -storepass test-only -keypass test-only
  openssl pkcs12 -in "$1.p12" -passin pass:test-only -nodes -nocerts |
    openssl pkey -out "$1.pkcs8.pem"
}

# PKCS#8 is what both tools write; the other spellings of the same pair are openssl's.
spell() {
  openssl rsa -in "$1.pkcs8.pem" -traditional -out "$1.pkcs1.pem"
  openssl rsa -in "$1.pkcs8.pem" -pubout -out "$1.spki-public.pem"
  openssl rsa -in "$1.pkcs8.pem" -RSAPublicKey_out -out "$1.pkcs1-public.pem"
} 2>/dev/null

openssl_pair test-openssl-2048 2048
jdk_pair test-jdk-2048 2048
openssl_pair test-too-short-1024 1024
for name in test-openssl-2048 test-jdk-2048 test-too-short-1024; do spell "$name"; done

python3 -B - "$target" <<'PYTHON'
import json, pathlib, sys


def spelled(name):
    def pem(suffix):
        return pathlib.Path(f"{name}.{suffix}.pem").read_text()
    def bare(text):
        return "".join(line for line in text.splitlines() if not line.startswith("-"))
    return {
        "bits": int(name.rsplit("-", 1)[1]),
        "private": {"pkcs8Pem": pem("pkcs8"), "pkcs1Pem": pem("pkcs1"),
                    "pkcs8Base64": bare(pem("pkcs8")), "pkcs1Base64": bare(pem("pkcs1"))},
        "public": {"spkiPem": pem("spki-public"), "pkcs1Pem": pem("pkcs1-public"),
                   "spkiBase64": bare(pem("spki-public")), "pkcs1Base64": bare(pem("pkcs1-public"))},
    }

names = ["test-openssl-2048", "test-jdk-2048", "test-too-short-1024"]
pathlib.Path(sys.argv[1]).write_text(json.dumps({name: spelled(name) for name in names}, indent=2) + "\n")
PYTHON
