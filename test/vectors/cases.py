"""Which envelopes are made: rows in which all pairs of the profile's axes meet, and single cases worth having."""

import json

from pairwise import plan
from samples import BODIES, IDS, MERCHANT, NOW, RESULTS, WHOLE_BLOCKS

TOOLS = ["openssl", "jdk", "python"]
KEYS = ["test-openssl-2048", "test-jdk-2048"]
FIXED_IV = {"CBC": "000102030405060708090A0b0c0d0e0f", "GCM": "cafebabefacedbaddecaf888"}
OPTIONAL = {"format": "json", "charset": "utf-8", "encryptType": "AES", "signType": "RSA"}

PROFILE_AXES = {
    "cipher": ["CBC", "GCM", "ECB"],
    "iv": ["zero", "prefixed", "fixed"],
    "keyEncoding": ["base64", "hex", "utf-8"],
    "bodyEncoding": ["base64", "base64url", "hex"],
    "signatureHash": ["SHA-1", "SHA-256", "SHA-512"],
    "signaturePadding": ["PKCS1-v1_5", "PSS"],
    "signatureEncoding": ["base64", "base64url", "hex"],
    "signedForm": ["sorted-pairs", "pairs-as-sent", "canonical-json", "json-as-sent", "body"],
    "signs": ["plaintext", "ciphertext"],
    "bodyInJson": ["text", "json"],
}
CALLBACK_AXES = {
    "tool": TOOLS,
    **PROFILE_AXES,
    "keyBits": [128, 192, 256],
    "key": KEYS,
    "unsigned": ["none", "one", "several"],
    "timestamp": ["number", "string"],
    "optional": ["present", "absent", "empty", "null"],
    "extra": ["none", "strings", "literals"],
}
# A request can be compared byte for byte where neither an IV nor a salt is drawn.
REQUEST_AXES = {
    "tool": TOOLS,
    **PROFILE_AXES,
    "cipher": ["CBC", "ECB"],
    "iv": ["zero", "fixed"],
    "signaturePadding": ["PKCS1-v1_5"],
    "keyBits": [128, 192, 256],
    "key": KEYS,
    "unsigned": ["none", "one", "several"],
    "timestamp": ["number", "string"],
}

UNSIGNED_CALLBACK = {
    "none": [[]],
    "one": [["id"], ["timestamp"], ["signType"], ["merchantId"], ["eventName"], ["charset"], ["format"], ["encryptType"]],
    "several": [["signType", "encryptType"], ["id", "timestamp"], ["format", "charset", "encryptType", "signType"],
                ["eventName", "merchantId", "id", "timestamp", "format", "charset", "encryptType", "signType"]],
}
UNSIGNED_REQUEST = {
    "none": [[]],
    "one": [["signType"], ["method"], ["timestamp"]],
    "several": [["signType", "encryptType"], ["merchantId", "method", "timestamp"]],
}
# Upper case sorts before lower case, and a field nobody knows is under the signature too.
EXTRA = {
    "none": {},
    "strings": {"Version": "1.0", "traceId": "00-4bf9 2f35/é?", "größe": "中文 😀", "note": ""},
    "literals": {"attempt": 3, "sandbox": False, "Live": True, "ratio": -0.25},
}


JSON_FORMS = ["canonical-json", "json-as-sent"]


def allowed(row):
    """ECB has no IV (the profile refuses it), a ciphertext is no JSON, and openssl's enc offers no GCM."""
    if row.get("cipher") == "ECB" and row.get("iv", "zero") != "zero":
        return False
    if row.get("bodyInJson") == "json":
        if row.get("signs", "plaintext") != "plaintext" or row.get("signedForm", JSON_FORMS[0]) not in JSON_FORMS:
            return False
    return not (row.get("cipher") == "GCM" and row.get("tool") == "openssl")


def tools_for(profile):
    return [tool for tool in TOOLS if tool != "openssl" or profile.get("cipher") != "GCM"]


def profile_of(row, unsigned):
    profile = {axis: row[axis] for axis in PROFILE_AXES}
    if row["iv"] == "fixed":
        profile["fixedIv"] = FIXED_IV[row["cipher"]]
    return {**profile, "unsignedFields": unsigned}


def optional_fields(state):
    values = {"present": OPTIONAL, "absent": {}, "empty": dict.fromkeys(OPTIONAL, ""), "null": dict.fromkeys(OPTIONAL)}
    return values[state]


def timestamp(row, number):
    sent = NOW + 137 * number
    return sent if row["timestamp"] == "number" else str(sent)


def turns(options):
    """Takes the options of each kind in turn, so that all of them come up."""
    used = dict.fromkeys(options, 0)

    def take(kind):
        used[kind] += 1
        return options[kind][(used[kind] - 1) % len(options[kind])]

    return take


def callback(name, tool, number, profile, result, optional, extra=None, sent_at=None, **more):
    event_name, plaintext = result
    fields = {"id": IDS[number % len(IDS)], "merchantId": MERCHANT, "eventName": event_name, **optional,
              "sign": None, "timestamp": sent_at or NOW + number, "body": None, **(extra or {})}
    case = {"name": name, "tool": tool, "tools": tools_for(profile), "profile": profile, "keyBits": 256,
            "key": KEYS[number % 2], "fields": fields, "plaintext": plaintext}
    return {**case, **more}


def callback_cases():
    take = turns(UNSIGNED_CALLBACK)
    cases = []
    rows = plan(CALLBACK_AXES, allowed)
    # Where the body alone is signed it does not matter what is left out, so those rows choose last.
    for number, row in sorted(enumerate(rows), key=lambda item: item[1]["signedForm"] == "body"):
        name = f"pairs-{number:02}-{row['tool']}-{row['cipher'].lower()}-{row['signedForm']}"
        cases.append(callback(name, row["tool"], number, profile_of(row, take(row["unsigned"])), RESULTS[number % len(RESULTS)],
                              optional_fields(row["optional"]), EXTRA[row["extra"]], timestamp(row, number),
                              keyBits=row["keyBits"], key=row["key"]))
    return sorted(cases, key=lambda case: case["name"]) + single_cases()


def single_cases():
    pss = {"signaturePadding": "PSS"}
    json_form = {"signedForm": "canonical-json"}
    json_sent = {"signedForm": "json-as-sent"}
    hexes = {"bodyEncoding": "hex", "signatureEncoding": "hex"}
    urls = {"bodyEncoding": "base64url", "signatureEncoding": "base64url"}
    control = {"control": "\x01\b\t\n\x0b\f\r\x1f \"\\/\x7f\u2028"}
    # By code unit U+1F4B3 (a surrogate pair) sorts before U+FF5E; by code point, and so in bash, after it.
    unit_order = {"～": "wave", "💳": "card", "Z": "1", "a": "2"}
    mixed = {"format": "json", "charset": None, "encryptType": ""}
    ciphertext = {"signs": "ciphertext"}
    listed = [
        *[(f"default-{tool}", tool, {}, RESULTS[0], OPTIONAL, {}) for tool in TOOLS],
        *[(f"default-ciphertext-{tool}", tool, ciphertext, RESULTS[1], {}, {}) for tool in TOOLS],
        ("salt-of-20-jdk", "jdk", pss, RESULTS[0], OPTIONAL, {"saltBytes": 20}),
        ("salt-of-maximum-length-openssl", "openssl", pss, RESULTS[1], OPTIONAL, {"saltBytes": 222}),
        ("salt-of-no-length-python", "python", pss, RESULTS[2], OPTIONAL, {"saltBytes": 0}),
        ("base64-in-lines-openssl", "openssl", {}, RESULTS[1], OPTIONAL, {"layout": "wrapped"}),
        ("base64-in-lines-signed-jdk", "jdk", {**json_form, **ciphertext}, RESULTS[1], OPTIONAL, {"layout": "wrapped"}),
        ("hex-in-capitals-jdk", "jdk", hexes, RESULTS[3], OPTIONAL, {"layout": "capitals"}),
        ("hex-in-capitals-signed-python", "python", {**hexes, **ciphertext}, RESULTS[3], OPTIONAL, {"layout": "capitals"}),
        ("base64url-with-padding-jdk", "jdk", urls, RESULTS[4], OPTIONAL, {"layout": "padded"}),
        ("charset-in-capitals-openssl", "openssl", {}, RESULTS[0], {**OPTIONAL, "charset": "UTF-8"}, {}),
        ("optional-fields-mixed-python", "python", {}, RESULTS[5], mixed, {}),
        ("control-characters-openssl", "openssl", json_form, RESULTS[6], OPTIONAL, {"extra": control}),
        ("control-characters-jdk", "jdk", json_form, RESULTS[6], OPTIONAL, {"extra": control}),
        ("order-by-code-unit-jdk", "jdk", {}, RESULTS[0], OPTIONAL, {"extra": unit_order, "tools": ["jdk", "python"]}),
        ("order-by-code-unit-python", "python", json_form, RESULTS[0], OPTIONAL, {"extra": unit_order, "tools": ["jdk", "python"]}),
        ("control-characters-as-sent-jdk", "jdk", json_sent, RESULTS[6], OPTIONAL, {"extra": control}),
        *[(f"as-sent-{form}-{TOOLS[turn % 3]}", TOOLS[turn % 3], profile, RESULTS[turn], OPTIONAL, {"extra": {"Zone": "eu", "aField": True}})
          for turn, (form, profile) in enumerate([("pairs", {"signedForm": "pairs-as-sent"}), ("json", json_sent),
                                                  ("json-inside", {**json_sent, "bodyInJson": "json"}),
                                                  ("json-ciphertext", {**json_sent, **ciphertext})])],
        ("padding-of-a-whole-block-openssl", "openssl", {}, WHOLE_BLOCKS, OPTIONAL, {}),
        ("padding-of-a-whole-block-ecb-jdk", "jdk", {"cipher": "ECB"}, WHOLE_BLOCKS, OPTIONAL, {}),
        ("whole-blocks-gcm-python", "python", {"cipher": "GCM", "iv": "prefixed"}, WHOLE_BLOCKS, OPTIONAL, {}),
        *[(f"unsigned-{field}-{TOOLS[turn % 3]}", TOOLS[turn % 3], {"unsignedFields": [field]}, RESULTS[turn % 7], OPTIONAL, {})
          for turn, [field] in enumerate(UNSIGNED_CALLBACK["one"])],
        ("rsa-1024-openssl", "openssl", {"minimumRsaBits": 1024}, RESULTS[0], OPTIONAL, {"key": "test-too-short-1024"}),
    ]
    return [callback(name, tool, number, profile, result, optional, **more)
            for number, (name, tool, profile, result, optional, more) in enumerate(listed)]


def request_cases():
    take = turns(UNSIGNED_REQUEST)
    return [request(number, row, take) for number, row in enumerate(plan(REQUEST_AXES, allowed))]


def request(number, row, take):
    method, written = BODIES[number % len(BODIES)]
    profile = {**profile_of(row, take(row["unsigned"])), "numbers": row["timestamp"],
               "goodsAmountName": ["goodsAmount", "goodsUnitAmount"][number // len(BODIES) % 2]}
    body = json.loads(written)
    plaintext = json.dumps(spelled(body, profile), ensure_ascii=False, separators=(",", ":"))
    fields = {"merchantId": MERCHANT, "method": method, **OPTIONAL, "sign": None,
              "timestamp": timestamp(row, number), "body": None}
    return {"name": f"request-{number:02}-{row['tool']}-{row['cipher'].lower()}-{row['signedForm']}", "tool": row["tool"],
            "tools": TOOLS, "profile": profile, "keyBits": row["keyBits"], "key": row["key"], "fields": fields,
            "body": body, "plaintext": plaintext}


def spelled(value, profile):
    """A body with its numbers and its names as the profile's service wants them."""
    if isinstance(value, dict):
        names = {"goodsAmount": profile["goodsAmountName"]}
        return {names.get(name, name): spelled(member, profile) for name, member in value.items()}
    if isinstance(value, list):
        return [spelled(element, profile) for element in value]
    return str(value) if isinstance(value, (int, float)) and profile["numbers"] == "string" else value
