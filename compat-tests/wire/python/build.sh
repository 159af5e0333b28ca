#!/bin/sh
# Makes the code of every release and the driver for it.
set -eu
# All but protobuf is what the SDK needs, and in its environment already.
"$SDK/.venv/bin/pip" install -q --disable-pip-version-check --no-deps --require-hashes --target lib -r requirements-lock.txt
for release in */agwp.proto; do
  folder=$(dirname "$release")
  "$PROTOC" --proto_path="$folder" --proto_path="$INCLUDE" --python_out="$folder" agwp.proto
  # Makes it a package of its own, else the SDK that is installed would be found.
  touch "$folder/agwp/__init__.py"
done
