"""Signs and verifies DSSE envelopes with securesystemslib, which knows nothing of AGWP."""

import json
import sys
from pathlib import Path
from typing import Dict, Optional

from cryptography.hazmat.primitives.serialization import load_pem_private_key, load_pem_public_key
from securesystemslib.dsse import Envelope
from securesystemslib.exceptions import VerificationError
from securesystemslib.signer import CryptoSigner, Signature, SSlibKey

STATEMENT = "application/vnd.in-toto+json"


def sign(key: str, statement: str) -> int:
    """Prints an envelope around the file, signed with the private key."""
    signatures: Dict[str, Signature] = {}
    envelope = Envelope(Path(statement).read_bytes(), STATEMENT, signatures)
    envelope.sign(CryptoSigner(load_pem_private_key(Path(key).read_bytes(), None)))
    print(json.dumps(envelope.to_dict()))
    return 0


def verify(key: str, keyid: str, envelope: str) -> int:
    """Prints the payload of the envelope in the file when the public key of that id signed it; else ends with 1."""
    read = Envelope.from_dict(json.loads(Path(envelope).read_text()))
    public = SSlibKey.from_crypto(load_pem_public_key(Path(key).read_bytes()), keyid)
    try:
        read.verify([public], 1)
    except VerificationError as refused:
        print(refused)
        return 1
    sys.stdout.buffer.write(read.payload)
    return 0


def main(what: str, *arguments: str) -> Optional[int]:
    return {"sign": sign, "verify": verify}[what](*arguments)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
