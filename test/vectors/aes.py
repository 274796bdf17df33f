"""AES (FIPS 197) with CBC and ECB under PKCS#7 padding, and GCM (NIST SP 800-38D). For test data: slow, and not in constant time."""


def _double(byte):
    return (byte << 1) ^ (0x11B if byte & 0x80 else 0)


def _multiply(a, b):
    product = 0
    while b:
        product ^= a if b & 1 else 0
        a, b = _double(a), b >> 1
    return product


def _substitute(byte):
    """The S-box: the inverse in GF(2^8), which is the 254th power, then an affine map."""
    inverse = 1 if byte else 0
    for _ in range(254 if byte else 0):
        inverse = _multiply(inverse, byte)
    rotated = [((inverse << turn) | (inverse >> (8 - turn))) & 0xFF for turn in range(5)]
    return rotated[0] ^ rotated[1] ^ rotated[2] ^ rotated[3] ^ rotated[4] ^ 0x63


SBOX = bytes(_substitute(byte) for byte in range(256))
TIMES_2 = bytes(_multiply(byte, 2) for byte in range(256))


def expand_key(key):
    words = [key[at:at + 4] for at in range(0, len(key), 4)]
    size, round_constant = len(words), 1
    for at in range(size, 4 * (size + 7)):
        word = words[-1]
        if at % size == 0:
            word = bytes(SBOX[byte] for byte in word[1:] + word[:1])
            word = bytes([word[0] ^ round_constant]) + word[1:]
            round_constant = _double(round_constant)
        elif size > 6 and at % size == 4:
            word = bytes(SBOX[byte] for byte in word)
        words.append(_xor(word, words[at - size]))
    flat = b"".join(words)
    return [flat[at:at + 16] for at in range(0, len(flat), 16)]


def encrypt_block(block, round_keys):
    state = _xor(block, round_keys[0])
    for round_key in round_keys[1:-1]:
        state = _xor(_mix_columns(_shift_rows(state)), round_key)
    return _xor(_shift_rows(state), round_keys[-1])


def _shift_rows(state):
    """Substitutes each byte on its way: the two steps commute."""
    return bytes(SBOX[state[(at + 4 * (at % 4)) % 16]] for at in range(16))


def _mix_columns(state):
    mixed = bytearray()
    for at in range(0, 16, 4):
        column = state[at:at + 4]
        whole = column[0] ^ column[1] ^ column[2] ^ column[3]
        mixed += bytes(column[row] ^ whole ^ TIMES_2[column[row] ^ column[(row + 1) % 4]] for row in range(4))
    return bytes(mixed)


def _xor(a, b):
    return bytes(x ^ y for x, y in zip(a, b))


def _padded(plaintext):
    count = 16 - len(plaintext) % 16
    return plaintext + bytes([count]) * count


def encrypt_ecb(plaintext, key):
    round_keys, padded = expand_key(key), _padded(plaintext)
    return b"".join(encrypt_block(padded[at:at + 16], round_keys) for at in range(0, len(padded), 16))


def encrypt_cbc(plaintext, key, iv):
    round_keys, padded, blocks = expand_key(key), _padded(plaintext), [iv]
    for at in range(0, len(padded), 16):
        blocks.append(encrypt_block(_xor(padded[at:at + 16], blocks[-1]), round_keys))
    return b"".join(blocks[1:])


def encrypt_gcm(plaintext, key, iv):
    """The ciphertext with its 16-byte tag behind it; the IV is 12 bytes, and there is no additional data."""
    round_keys = expand_key(key)

    def key_stream(count):
        return encrypt_block(iv + count.to_bytes(4, "big"), round_keys)

    ciphertext = b"".join(
        _xor(plaintext[at:at + 16], key_stream(at // 16 + 2)) for at in range(0, len(plaintext), 16))
    hash_key = int.from_bytes(encrypt_block(bytes(16), round_keys), "big")
    tag = _xor(_ghash(ciphertext, hash_key), key_stream(1))
    return ciphertext + tag


def _ghash(ciphertext, hash_key):
    lengths = (8 * len(ciphertext)).to_bytes(16, "big")
    text = ciphertext + bytes(-len(ciphertext) % 16) + lengths
    total = 0
    for at in range(0, len(text), 16):
        total = _multiply_in_gcm(total ^ int.from_bytes(text[at:at + 16], "big"), hash_key)
    return total.to_bytes(16, "big")


def _multiply_in_gcm(x, y):
    product = 0
    for bit in range(127, -1, -1):
        product ^= y if x >> bit & 1 else 0
        y = (y >> 1) ^ (0xE1 << 120 if y & 1 else 0)
    return product
