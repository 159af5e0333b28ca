"""Calls and recodes as the code says that is generated from one release, whose folder is the argument: one JSON object a line, in and out."""

from __future__ import annotations

import base64
import json
import re
import sys
from typing import Any, Dict

# What the release has goes before what is installed.
sys.path[:0] = [sys.argv[1], "lib"]

import agwp_pb2  # noqa: E402
import urllib3  # noqa: E402
from agwp._generated import ApiClient, ApiException, Configuration, JobsApi, models  # noqa: E402
from google.protobuf.json_format import ParseDict, ParseError  # noqa: E402
from google.protobuf.message import DecodeError  # noqa: E402

PROTOBUF = {"Content-Type": "application/x-protobuf", "Accept": "application/x-protobuf"}


def call_json(order: Dict[str, Any]) -> Dict[str, Any]:
    operation = order["operation"]
    # As keyword arguments, the way users write it.
    request = getattr(models, request_of(operation))(**order["request"])
    with ApiClient(Configuration(host=order["server"])) as client:
        try:
            job = getattr(JobsApi(client), re.sub("([A-Z])", r"_\1", operation).lower())(order["job_id"], request)
        except ApiException as refused:
            return {"event": "refused", "code": json.loads(refused.body)["code"]}
    return {"event": "answer", "job_id": job.job_id}


def call_protobuf(order: Dict[str, Any]) -> Dict[str, Any]:
    operation = order["operation"]
    request = ParseDict(order["request"], getattr(agwp_pb2, request_of(operation))())
    address = f"{order['server']}/v1/jobs/{order['job_id']}/{operation[: -len('Job')]}"
    answer = urllib3.request("POST", address, body=request.SerializeToString(), headers=PROTOBUF)
    if answer.status != 200:
        return {"event": "refused", "code": agwp_pb2.Error.FromString(answer.data).code}
    return {"event": "answer", "job_id": agwp_pb2.Job.FromString(answer.data).job_id}


def request_of(operation: str) -> str:
    return operation[0].upper() + operation[1:] + "Request"


def recode_json(order: Dict[str, Any]) -> Dict[str, Any]:
    message = getattr(models, order["message"]).from_json(base64.b64decode(order["bytes"]).decode())
    return {"event": "recoded", "bytes": base64.b64encode(message.to_json().encode()).decode()}


def recode_protobuf(order: Dict[str, Any]) -> Dict[str, Any]:
    message = getattr(agwp_pb2, order["message"]).FromString(base64.b64decode(order["bytes"]))
    # Else what the release does not know would go through unread.
    message.DiscardUnknownFields()
    return {"event": "recoded", "bytes": base64.b64encode(message.SerializeToString()).decode()}


OBEY = {
    ("call", "json"): call_json,
    ("call", "protobuf"): call_protobuf,
    ("recode", "json"): recode_json,
    ("recode", "protobuf"): recode_protobuf,
}


def main() -> None:
    print(json.dumps({"event": "ready"}), flush=True)
    for line in sys.stdin:
        order = json.loads(line)
        try:
            told = OBEY[order["do"], order["format"]](order)
        except (AttributeError, ValueError, ParseError, DecodeError) as invalid:
            told = {"event": "invalid", "message": str(invalid)}
        print(json.dumps({**told, "id": order["id"]}), flush=True)


if __name__ == "__main__":
    main()
