#!/bin/bash -eu
# Builds every fuzzer with what OSS-Fuzz gives, and puts its seeds and libraries beside it. It runs in the container of the
# Dockerfile, whose libraries are compiled with libstdc++.
CXXFLAGS=${CXXFLAGS//-stdlib=libc++/}
cmake -S . -B build/ossfuzz -G Ninja -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_COMPILER="$CC" -DCMAKE_CXX_COMPILER="$CXX" \
  -DCMAKE_C_FLAGS="$CFLAGS" -DCMAKE_CXX_FLAGS="$CXXFLAGS" -DSEEKLESS_FUZZERS=ON -DSEEKLESS_HDD=OFF \
  -DCMAKE_UNITY_BUILD=ON -DCMAKE_UNITY_BUILD_BATCH_SIZE=0 \
  -DCMAKE_BUILD_RPATH='$ORIGIN/lib' -DCMAKE_EXE_LINKER_FLAGS=-Wl,--disable-new-dtags
cmake --build build/ossfuzz --target fuzzers
cp build/ossfuzz/bin/fuzz_* "$OUT"
# The machine that runs them has little but the C library.
mkdir -p "$OUT/lib"
ldd "$OUT"/fuzz_* | awk '$2 == "=>" && $3 !~ /\/lib(c|m)\.so\.6$/ { print $3 }' | sort -u | xargs cp -L -t "$OUT/lib"
for folder in tests/fuzz/corpus/*/; do
  name=$(basename "$folder")
  [ ! -e "$OUT/fuzz_$name" ] || zip -q -j "$OUT/fuzz_${name}_seed_corpus.zip" "$folder"*
done
