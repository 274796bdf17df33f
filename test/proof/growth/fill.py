"""Writes items into the file of the DynamoDB emulator: calls to the emulator would take hours for a million of them.

The file is an SQLite database with a table for each table and for each index, and this writes the same rows. The first
line of the input has the items, each as its table's name, its text with names such as %(orderNo)s, and its size. Every
further line has the values of these names for one copy.
"""
import json
import sqlite3
import sys

database = sqlite3.connect(sys.argv[1], timeout=60)
database.execute("PRAGMA synchronous = OFF")
tables = {}
for name, keys, indexes in database.execute("SELECT table_name, key_schema, gsi_definitions FROM _tables"):
    tables[name] = (json.loads(keys), json.loads(indexes or "[]"))


def key_of(schema, item):
    found = {one["KeyType"]: item.get(one["AttributeName"]) for one in schema}
    if found["HASH"] is None or ("RANGE" in found and found["RANGE"] is None):
        return None
    # Other types than text have another form in the file, and what is filled in needs none.
    return ["S:" + found["HASH"]["S"], "S:" + found["RANGE"]["S"] if "RANGE" in found else ""]


def rows_of(name, text, size):
    item = json.loads(text)
    schema, indexes = tables[name]
    key = key_of(schema, item)
    yield f'INSERT INTO "{name}" (pk, sk, item_json, item_size) VALUES (?, ?, ?, ?)', [*key, text, str(size)]
    for index in indexes:
        own = key_of(index["KeySchema"], item)
        if own is None:
            continue
        projection = index["Projection"]
        kept = {one["AttributeName"] for one in schema + index["KeySchema"]}
        kept |= set(item if projection["ProjectionType"] == "ALL" else [])
        kept |= set(projection.get("NonKeyAttributes") or [])
        part = json.dumps({one: item[one] for one in item if one in kept})
        yield f'INSERT INTO "{name}::gsi::{index["IndexName"]}" VALUES (?, ?, ?, ?, ?)', [*own, *key, part]


rows = [row for item in json.loads(sys.stdin.readline()) for row in rows_of(*item)]
for line in sys.stdin:
    values = json.loads(line)
    for statement, cells in rows:
        database.execute(statement, [cell % values for cell in cells])
database.commit()
