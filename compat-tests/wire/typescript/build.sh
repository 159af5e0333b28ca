#!/bin/sh
# Makes the code of every release and the driver for it.
set -eu
npm ci --ignore-scripts --no-audit --no-fund
for release in */agwp.proto; do
  folder=$(dirname "$release")
  "$PROTOC" --proto_path="$folder" --proto_path="$INCLUDE" --plugin=protoc-gen-es=node_modules/.bin/protoc-gen-es \
    --es_out="$folder/src" --es_opt=target=ts,import_extension=js agwp.proto
  cp driver.ts "$folder/src"
done
node_modules/.bin/tsc
