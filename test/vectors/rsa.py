"""RSA signatures by plain arithmetic (RFC 8017, sections 8.1.1 and 8.2.1). For test data: not in constant time."""

import base64
import hashlib

# DER of a DigestInfo up to the digest (RFC 8017, section 9.2, note 1).
DIGEST_INFO = {
    "SHA-1": "3021300906052b0e03021a05000414",
    "SHA-256": "3031300d060960864801650304020105000420",
    "SHA-512": "3051300d060960864801650304020305000440",
}


def digest(hash_name, data):
    return hashlib.new(hash_name.replace("-", "").lower(), data).digest()


def read_private_key(pem):
    """Modulus and private exponent of an unencrypted PKCS#8 PEM."""
    lines = [line for line in pem.splitlines() if not line.startswith("-")]
    _, _, octets = _children(_value(base64.b64decode("".join(lines))))[:3]
    _, modulus, _, exponent = _children(_value(octets))[:4]
    return int.from_bytes(modulus, "big"), int.from_bytes(exponent, "big")


def _value(der):
    return _children(der)[0]


def _children(der):
    """The contents of the DER values that stand one after another in these bytes."""
    values = []
    while der:
        length, start = der[1], 2
        if length & 0x80:
            start = 2 + (length & 0x7F)
            length = int.from_bytes(der[2:start], "big")
        values.append(der[start:start + length])
        der = der[start + length:]
    return values


def sign_pkcs1(text, key, hash_name):
    size = _byte_size(key)
    info = bytes.fromhex(DIGEST_INFO[hash_name]) + digest(hash_name, text)
    return _raise(b"\x00\x01" + b"\xff" * (size - len(info) - 3) + b"\x00" + info, key)


def sign_pss(text, key, hash_name, salt):
    encoded_bits = key[0].bit_length() - 1
    size = (encoded_bits + 7) // 8
    hashed = digest(hash_name, bytes(8) + digest(hash_name, text) + salt)
    block = bytes(size - len(salt) - len(hashed) - 2) + b"\x01" + salt
    mask = _mgf1(hashed, len(block), hash_name)
    masked = bytearray(x ^ y for x, y in zip(block, mask))
    masked[0] &= 0xFF >> (8 * size - encoded_bits)
    return _raise(bytes(masked) + hashed + b"\xbc", key)


def _mgf1(seed, length, hash_name):
    mask = b""
    while len(mask) < length:
        counter = len(mask) // len(digest(hash_name, b""))
        mask += digest(hash_name, seed + counter.to_bytes(4, "big"))
    return mask[:length]


def _byte_size(key):
    return (key[0].bit_length() + 7) // 8


def _raise(encoded, key):
    modulus, exponent = key
    return pow(int.from_bytes(encoded, "big"), exponent, modulus).to_bytes(_byte_size(key), "big")
