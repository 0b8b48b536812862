// Reads Quake's .pak, which its descendants and Half-Life also use. It begins with "PACK", then the
// directory's place and length, 4 bytes each. For each entry the directory has 56 bytes for the
// name, ended by zeros, and then its place and length. Source of the format: the Unofficial Quake
// Specification 3.4, section 3.1.
#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "packer/content/internal/flat_formats.h"
#include "runtime/zip_fields.h"

namespace seekless {
namespace {

using std::string_view_literals::operator""sv;

constexpr size_t kHeaderBytes = 12;
constexpr size_t kRecordBytes = 64;
constexpr size_t kNameBytes = 56;

FlatEntry to_entry(std::span<const std::byte> record, uint64_t at_bytes) {
  FlatEntry entry;
  const std::string_view name = text_of(record.first(kNameBytes));
  entry.name = std::string(name.substr(0, name.find('\0')));
  std::ranges::replace(entry.name, '\\', '/');  // engines on Windows read both slashes as the same
  entry.name_fault = check_asset_path(entry.name);
  entry.offset_bytes = load<uint32_t>(record, kNameBytes);
  entry.size_bytes = load<uint32_t>(record, kNameBytes + 4);
  entry.offset_field = {at_bytes + kNameBytes, 4};
  return entry;
}

// Other formats, such as git's, begin with the same letters.
bool may_be_quake_pak(const FileEnds& ends) {
  constexpr std::string_view kGitVersions = "\0\0\0"sv;  // followed by 2 or 3
  const std::string_view start = text_of(ends.front);
  if (start.size() < kHeaderBytes || !start.starts_with("PACK")) return false;
  const auto directory = load<uint32_t>(ends.front, 4);
  return !start.substr(4).starts_with(kGitVersions) && directory >= kHeaderBytes &&
         directory <= ends.size_bytes;
}

Result<std::optional<FlatDirectory>> read_quake_pak(const ByteSource& source) {
  std::array<std::byte, kHeaderBytes> header = {};
  SKL_TRY_DO(source.read_at(0, header));
  FlatDirectory directory;
  directory.offset_bytes = load<uint32_t>(header, 4);
  const uint64_t size_bytes = load<uint32_t>(header, 8);
  if (size_bytes % kRecordBytes != 0 || size_bytes > source.size_bytes() - directory.offset_bytes) {
    directory.obstacle = fmt::format(
        "its header gives a directory of {} bytes at byte {}; of a .pak it has {} bytes an entry, "
        "and ends with the file's {} bytes at the latest",
        size_bytes, directory.offset_bytes, kRecordBytes, source.size_bytes());
    return directory;
  }
  std::vector<std::byte> records(size_bytes);
  SKL_TRY_DO(source.read_at(directory.offset_bytes, records));
  for (size_t at = 0; at < records.size(); at += kRecordBytes)
    directory.entries.push_back(
        to_entry(std::span(records).subspan(at, kRecordBytes), directory.offset_bytes + at));
  const bool is_in_front = std::ranges::any_of(directory.entries, [&](const FlatEntry& entry) {
    return entry.size_bytes > 0 && entry.offset_bytes >= directory.offset_bytes;
  });
  const uint64_t end_bytes = directory.offset_bytes + size_bytes;
  if (is_in_front) {
    directory.unused.push_back({kHeaderBytes, directory.offset_bytes});
    SKL_TRY_DO(settle_data(source, end_bytes, source.size_bytes(), directory));
  } else {
    directory.moving_fields.push_back({4, 4});
    directory.unused.push_back({end_bytes, source.size_bytes()});
    SKL_TRY_DO(settle_data(source, kHeaderBytes, directory.offset_bytes, directory));
  }
  return directory;
}

}  // namespace

const FlatFormat kQuakePak = {"Quake's .pak", may_be_quake_pak, read_quake_pak};

}  // namespace seekless
