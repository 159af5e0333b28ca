#!/bin/sh
# Makes the code of every release and the driver for it.
set -eu
go build -o build/protoc-gen-go google.golang.org/protobuf/cmd/protoc-gen-go
for release in */agwp.proto; do
  folder=$(dirname "$release")
  "$PROTOC" --proto_path="$folder" --proto_path="$INCLUDE" --plugin=build/protoc-gen-go \
    --go_out="$folder" --go_opt=module=agwp.dev agwp.proto
  mkdir "$folder/driver"
  cp go.mod go.sum "$folder"
  cp driver.go "$folder/driver"
  # Go finds no type by its name.
  {
    printf 'package agwp\n\nvar Messages = map[string]func() any{\n'
    sed -n 's/^type \([A-Za-z]*\) struct {$/\t"\1": func() any { return new(\1) },/p' "$folder"/model_*.go
    printf '}\n\n'
    # The SDK writes this one by hand, so it is not generated.
    printf 'type Error map[string]any\n'
  } > "$folder/messages.go"
  (cd "$folder" && go build -o "../build/$folder" ./driver)
done
