#!/bin/bash -eu
# Builds every fuzzer with what OSS-Fuzz gives, and puts its seeds beside it. It runs in the container of the Dockerfile.
cmake -S . -B build/ossfuzz -G Ninja -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_COMPILER="$CC" -DCMAKE_CXX_COMPILER="$CXX" \
  -DCMAKE_C_FLAGS="$CFLAGS" -DCMAKE_CXX_FLAGS="$CXXFLAGS" -DSEEKLESS_FUZZERS=ON -DSEEKLESS_HDD=OFF \
  -DCMAKE_UNITY_BUILD=ON -DCMAKE_UNITY_BUILD_BATCH_SIZE=0 -DCMAKE_FIND_LIBRARY_SUFFIXES=.a
cmake --build build/ossfuzz --target fuzzers
cp build/ossfuzz/bin/fuzz_* "$OUT"
for folder in tests/fuzz/corpus/*/; do
  name=$(basename "$folder")
  [ ! -e "$OUT/fuzz_$name" ] || zip -q -j "$OUT/fuzz_${name}_seed_corpus.zip" "$folder"*
done
