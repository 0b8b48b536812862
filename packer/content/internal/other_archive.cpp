#include "packer/content/internal/other_archive.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include <fmt/format.h>

#include "packer/content/flat_archive.h"
#include "packer/content/internal/file_ending.h"
#include "runtime/asset_path.h"
#include "runtime/zip_fields.h"

namespace seekless {
namespace {

using std::string_view_literals::operator""sv;

struct ArchiveSignature {
  std::string_view magic;  // bytes at the file's start
  std::string_view name;
  std::string_view reason = {};  // why it can't be rewritten; empty if that wouldn't help users
};

constexpr std::string_view kUnity = "repacked ones load slower, or not at all";
constexpr std::string_view kNotWritten = "'repack' can't rewrite it yet; 'play' reads ahead in it";
constexpr std::string_view kDataBeside = "its data lie in files beside it; see 'repack' and 'play'";
constexpr std::string_view kFixedOrder = "the order of its pieces is fixed; see 'play' and 'place'";

constexpr std::string_view kChdMagic = "MComprHD";

constexpr ArchiveSignature kKinds[] = {
    {"Rar!\x1A\x07"sv, "a RAR archive"},
    {"7z\xBC\xAF\x27\x1C"sv, "a 7z archive"},
    {"MSCF\0\0\0\0"sv, "a Windows cabinet"},
    {"MPQ\x1A"sv, "Blizzard's MPQ", kNotWritten},
    {"MPQ\x1B"sv, "Blizzard's MPQ", kNotWritten},
    {"UnityFS\0"sv, "Unity's bundle", kUnity},
    {"UnityWeb\0"sv, "Unity's bundle", kUnity},
    {"UnityRaw\0"sv, "Unity's bundle", kUnity},
    {"-==--==--==--==-"sv, "Unreal's IoStore", kDataBeside},
    {"IWAD"sv, "Doom's WAD"},
    {"PWAD"sv, "Doom's WAD"},
    {"WAD2"sv, "Quake's WAD"},
    {"WAD3"sv, "Half-Life's WAD"},
    {"RGSSAD\0"sv, "RPG Maker's archive"},
    {"CPK "sv, "CRIWARE's CPK"},
    {kChdMagic, "a CHD image", kFixedOrder},
    {"CISO"sv, "a CSO image", kFixedOrder},
    {"\x01\xC0\x0B\xB1"sv, "a GCZ image", kFixedOrder},
    {"WBFS"sv, "a WBFS image", kNotWritten},
};
constexpr size_t kStartBytes = 20;  // holds the longest magic, and what chd_has_places() reads
// An UnrealPak ends with an info block, which begins with a magic number 44 to 222 bytes before the
// file's end, depending on the version: FPakInfo in Unreal's IPlatformFilePak.h.
constexpr std::string_view kUnrealMagic = "\xE1\x12\x6F\x5A";
constexpr size_t kMostUnrealInfoBytes = 256;

Result<bool> is_unreal_pak(const ByteSource& source) {
  std::array<std::byte, kMostUnrealInfoBytes> bytes = {};
  const auto end = std::span(bytes).first(std::min<uint64_t>(source.size_bytes(), bytes.size()));
  SKL_TRY_DO(source.read_at(source.size_bytes() - end.size(), end));
  return text_of(end).contains(kUnrealMagic);
}

// Before version 5, the map has an offset for each hunk. In version 5 it has offsets only if
// nothing is compressed; otherwise readers add up the hunks' lengths.
bool chd_has_places(std::string_view start) {
  if (start.size() < kStartBytes) return true;
  const auto number_at = [&](size_t at) {
    return std::byteswap(load<uint32_t>(bytes_of(start), at));
  };
  constexpr size_t kChdVersionAt = 12, kFirstCodecAt = 16;
  return number_at(kChdVersionAt) < 5 || number_at(kFirstCodecAt) == 0;
}

}  // namespace

Result<OtherArchive> kind_of_other_archive(const ByteSource& source) {
  SKL_TRY(const auto flat, read_flat_directory(source));
  if (flat && !flat->obstacle.empty())
    return OtherArchive{std::string(flat->format->name), flat->obstacle};
  if (flat) return OtherArchive{fmt::format("{}, which 'repack' rewrites", flat->format->name)};
  std::array<std::byte, kStartBytes> bytes = {};
  const auto front = std::span(bytes).first(std::min<uint64_t>(source.size_bytes(), bytes.size()));
  if (front.empty()) return OtherArchive();
  SKL_TRY_DO(source.read_at(0, front));
  const std::string_view start = text_of(front);
  if (start.starts_with(kChdMagic) && chd_has_places(start))
    return OtherArchive{"a CHD image", std::string(kNotWritten)};
  for (const ArchiveSignature& kind : kKinds)
    if (start.starts_with(kind.magic))
      return OtherArchive{std::string(kind.name), std::string(kind.reason)};
  // An UnrealPak can't be identified by its start.
  if (!has_ending(source.name(), ".pak")) return OtherArchive();
  SKL_TRY(const auto is_unreal, is_unreal_pak(source));
  return is_unreal ? OtherArchive{"an UnrealPak"} : OtherArchive();
}

}  // namespace seekless
