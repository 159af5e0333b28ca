#!/bin/sh
# Makes the code of every release and the driver for it.
set -eu
for release in */agwp.proto; do
  folder=$(dirname "$release")
  mkdir "$folder/src"
  "$PROTOC" --proto_path="$folder" --proto_path="$INCLUDE" --java_out="$folder/src" agwp.proto
  "$JAVA_HOME/bin/javac" -J-XX:TieredStopAtLevel=1 -proc:none -nowarn -cp "$PROTOBUF_JAR" -d "$folder/classes" "$folder"/src/dev/agwp/v1/*.java
done
