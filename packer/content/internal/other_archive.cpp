#include "packer/content/internal/other_archive.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include <fmt/format.h>

#include "packer/content/flat_archive.h"
#include "runtime/asset_path.h"
#include "runtime/zip_fields.h"

namespace seekless {
namespace {

using std::string_view_literals::operator""sv;

struct ArchiveSignature {
  std::string_view magic;  // bytes at the file's start
  std::string_view name;
};

constexpr ArchiveSignature kKinds[] = {
    {"Rar!\x1A\x07"sv, "a RAR archive"},
    {"7z\xBC\xAF\x27\x1C"sv, "a 7z archive"},
    {"MSCF\0\0\0\0"sv, "a Windows cabinet"},
    {"MPQ\x1A"sv, "Blizzard's MPQ"},
    {"MPQ\x1B"sv, "Blizzard's MPQ"},
    {"UnityFS\0"sv, "Unity's bundle"},
    {"UnityWeb\0"sv, "Unity's bundle"},
    {"UnityRaw\0"sv, "Unity's bundle"},
    {"-==--==--==--==-"sv, "Unreal's .utoc"},
    {"IWAD"sv, "Doom's WAD"},
    {"PWAD"sv, "Doom's WAD"},
    {"WAD2"sv, "Quake's WAD"},
    {"WAD3"sv, "Half-Life's WAD"},
    {"RGSSAD\0"sv, "RPG Maker's archive"},
    {"CPK "sv, "CRIWARE's CPK"},
};
constexpr size_t kLongestMagicBytes = 16;
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

bool has_ending(std::string_view name, std::string_view ending) {
  return name.size() >= ending.size() &&
         compare_folded(name.substr(name.size() - ending.size()), ending) == 0;
}

}  // namespace

Result<std::string> kind_of_other_archive(const ByteSource& source) {
  SKL_TRY(const auto flat, read_flat_directory(source));
  if (flat && !flat->obstacle.empty())
    return fmt::format("{}: {}", flat->format->name, flat->obstacle);
  if (flat) return fmt::format("{}, which 'repack' rewrites", flat->format->name);
  std::array<std::byte, kLongestMagicBytes> bytes = {};
  const auto front = std::span(bytes).first(std::min<uint64_t>(source.size_bytes(), bytes.size()));
  if (front.empty()) return std::string();
  SKL_TRY_DO(source.read_at(0, front));
  const std::string_view start = text_of(front);
  for (const ArchiveSignature& kind : kKinds)
    if (start.starts_with(kind.magic)) return std::string(kind.name);
  // An UnrealPak can't be identified by its start.
  if (!has_ending(source.name(), ".pak")) return std::string();
  SKL_TRY(const auto is_unreal, is_unreal_pak(source));
  return is_unreal ? "an UnrealPak" : std::string();
}

}  // namespace seekless
