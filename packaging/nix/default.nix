{ lib, stdenv, fetchurl, cmake, ninja, pkg-config, cli11, fmt, httplib, libdeflate, libyaml, fuse3, lz4, liburing,
  nlohmann_json, sqlite, xxHash, libzip, zlib, zstd }:

stdenv.mkDerivation rec {
  pname = "seekless";
  version = "@VERSION@";
  src = fetchurl {
    url = "@URL@/seekless-${version}.tar.gz";
    sha256 = "@SHA256_SOURCES@";
  };
  nativeBuildInputs = [ cmake ninja pkg-config ];
  buildInputs = [ cli11 fmt httplib libdeflate libyaml fuse3 lz4 liburing nlohmann_json sqlite xxHash libzip zlib zstd ];
  cmakeFlags = [ "-DSEEKLESS_TESTS=OFF" "-DSEEKLESS_HDD=OFF" ];
  meta = {
    description = "Packs game content in load order, so that a hard disk needn't seek";
    license = lib.licenses.mit;
    platforms = lib.platforms.linux;
    mainProgram = "seekless";
  };
}
