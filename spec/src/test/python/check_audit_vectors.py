"""Checks the audit vectors in the folders named as arguments with nothing but the format's description (ADR-0020)."""

import base64
import hashlib
import json
import pathlib
import sys

FIELDS = (
    "at kind principal worker queue job_id attempts outcome reason subject_digest payload_digest result_digest attestation_digest "
    "subject detail request_id"
).split()
NUMBERS = {"at", "attempts"}


def preimage(fields):
    out = b"\x01"
    for name in FIELDS:
        if name not in fields:
            out += b"\x00"
        elif name in NUMBERS:
            out += b"\x01" + fields[name].to_bytes(8, "big")
        else:
            text = fields[name].encode("utf-8")
            out += b"\x01" + len(text).to_bytes(4, "big") + text
    return out


def check(folder):
    for event in json.loads((folder / "events.json").read_text(encoding="utf-8")):
        assert preimage(event["fields"]).hex() == event["preimage"], event["fields"]
        assert hashlib.sha256(b"\x00" + bytes.fromhex(event["preimage"])).hexdigest() == event["leaf_hash"], event["fields"]
    log = json.loads((folder / "log.json").read_text(encoding="utf-8"))
    chain = bytes(32)
    chains = {0: chain}
    for seq, event in enumerate(log["events"], 1):
        leaf = hashlib.sha256(b"\x00" + bytes.fromhex(event["preimage"])).digest()
        chain = hashlib.sha256(b"\x01" + chain + seq.to_bytes(8, "big") + leaf).digest()
        assert (event["seq"], event["chain_hash"]) == (seq, chain.hex()), seq
        chains[seq] = chain
    for note in log["checkpoints"]:
        size, root = note.split("\n")[1:3]
        assert base64.b64decode(root) == chains[int(size)], note
    return f"{folder}: {len(chains) - 1} events, {len(log['checkpoints'])} checkpoints"


for argument in sys.argv[1:]:
    print(check(pathlib.Path(argument)))
