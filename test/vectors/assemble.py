"""Puts the tools' bodies and signatures into envelopes, once the tools agree: assemble.py WORK_FOLDER TARGET_FOLDER"""

import json
import pathlib
import sys


def outputs(folder, tools, part):
    return {tool: (folder / "out" / tool / part).read_bytes() for tool in tools}


def disagreements(folder, case):
    """The parts that chance has no hand in and that yet differ between tools."""
    # Where text is broken into lines each tool has its own width.
    wrapped = case.get("layout") == "wrapped"
    parts = [] if wrapped else ["body"]
    if not (wrapped and case["profile"].get("signs") == "ciphertext"):
        parts.append("signed")
    if not wrapped and case["profile"].get("signaturePadding") != "PSS":
        parts.append("sign")
    return [part for part in parts if len(set(outputs(folder, case["tools"], part).values())) > 1]


def vector(folder, case, key_field):
    differing = disagreements(folder, case)
    if differing:
        sys.exit(f"{case['name']}: the tools {', '.join(case['tools'])} disagree on {', '.join(differing)}")
    made = {part: outputs(folder, [case["tool"]], part)[case["tool"]].decode() for part in ("sign", "body")}
    return {
        "name": case["name"],
        "tool": case["tool"],
        "profile": case["profile"],
        "aesKey": case["aesKey"],
        key_field: case["key"],
        "envelope": {name: made.get(name, value) for name, value in case["fields"].items()},
        "plaintext": case["plaintext"],
        **({"body": case["body"]} if "body" in case else {}),
    }


def main(work, target):
    planned = json.loads((work / "plan.json").read_text())
    for kind, key_field in (("callbacks", "publicKey"), ("requests", "privateKey")):
        vectors = [vector(work / "cases" / case["name"], case, key_field) for case in planned[kind]]
        text = json.dumps(vectors, indent=2, ensure_ascii=False)
        (target / f"{kind}.json").write_text(text + "\n", encoding="utf-8")
        print(f"{kind}.json: {len(vectors)} vectors")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]))
