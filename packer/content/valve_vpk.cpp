// Reads and writes the directory of Valve's .vpk, versions 1 and 2, if the data lie in the same
// file, as in add-ons. If they lie in numbered files beside it (pak01_000.vpk), vpk_set.cpp reads
// it. Source of the format: the page "VPK (file format)" of Valve's developer wiki; for the
// checksums the package vpk of Python.
//
//   0x55AA1234 (4), version (4), length of the tree (4); version 2: lengths of the data, of the
//   archive's checksums, of other checksums (48 or 0), of the signature (4 each). The tree: ending,
//   folder, name, each ended by a zero and followed by those that it holds, up to an empty one.
//   After a name: CRC (4), length of the first bytes (2), number of the file with the data, or
//   0x7FFF for this one (2), place from the tree's end on (4), length (4), 0xFFFF (2), the first
//   bytes. Then data; other checksums are three MD5s: of the tree, of the archive's checksums, of
//   all before.
#include <algorithm>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "packer/base/checksum_of_format.h"
#include "packer/content/internal/directory_cursor.h"
#include "packer/content/internal/flat_formats.h"
#include "packer/content/internal/vpk_tree.h"

namespace seekless {
namespace {

constexpr uint64_t kVpkDataLengthAt = 12;
constexpr uint64_t kMostBackBytes = 64U << 20;

std::string vpk_obstacle(const VpkHeader& header) {
  if (header.version != 1 && header.version != 2)
    return fmt::format("a .vpk of version {}; 1 and 2 are understood", header.version);
  if (header.signature_bytes > 0) return "it is signed";
  if (header.checksum_bytes > 0) return "it has a checksum for each piece of its data";
  if (header.other_checksum_bytes != 0 && header.other_checksum_bytes != 3 * kMd5Bytes)
    return "checksums that aren't understood";
  return {};
}

constexpr uint16_t kThisFile = 0x7FFF;

// Holds what the tree lists.
struct VpkTree {
  std::vector<FlatEntry> entries;  // entries with data in this file
  std::set<uint16_t> other_files;  // numbers of the files with other entries' data
  uint64_t end_bytes = 0;
};

FlatEntry flat_entry(const VpkRecord& record, const VpkHeader& header) {
  FlatEntry entry = {.name = record.path};
  entry.name_fault = check_asset_path(entry.name);
  entry.base_bytes = header.base_bytes();
  entry.offset_bytes = entry.base_bytes + record.offset_bytes;
  entry.size_bytes = record.size_bytes;
  if (entry.size_bytes > 0) entry.offset_field = {record.at_bytes + 8, 4};
  if (record.first_bytes > 0)
    entry.stored_as = kFileWithoutBegin;
  else
    entry.crc32 = record.crc32;
  return entry;
}

Result<VpkTree> read_vpk_tree(const ByteSource& source, const VpkHeader& header) {
  VpkTree tree;
  SKL_TRY(tree.end_bytes, visit_vpk_records(source, header, [&](VpkRecord&& record) {
            if (record.file == kThisFile || record.size_bytes == 0)
              tree.entries.push_back(flat_entry(record, header));
            else
              tree.other_files.insert(record.file);
          }));
  return tree;
}

bool may_be_vpk(const FileEnds& ends) {
  return text_of(ends.front).starts_with(kVpkMagic);
}

Result<std::optional<FlatDirectory>> read_vpk(const ByteSource& source) {
  DirectoryCursor cursor(source, 0, source.size_bytes());
  SKL_TRY(const auto header, read_vpk_header(cursor));
  FlatDirectory directory{.obstacle = vpk_obstacle(header)};
  if (!directory.obstacle.empty()) return directory;
  const uint64_t size = source.size_bytes();
  const uint64_t back_bytes = header.checksum_bytes + header.other_checksum_bytes;
  const uint64_t data_end_bytes = header.base_bytes() + header.data_bytes;
  if (header.base_bytes() > size || (header.version == 2 && data_end_bytes + back_bytes != size)) {
    directory.obstacle = "the lengths in its header don't add up to its own";
    return directory;
  }
  SKL_TRY(auto tree, read_vpk_tree(source, header));
  directory.entries = std::move(tree.entries);
  if (!tree.other_files.empty()) {
    directory.obstacle = fmt::format(
        "its data lie in {} beside it ('..._{:03}.vpk'), which stay as they are",
        tree.other_files.size() == 1 ? "a file" : fmt::format("{} files", tree.other_files.size()),
        *tree.other_files.begin());
    return directory;
  }
  directory.unused.push_back({tree.end_bytes, header.base_bytes()});
  if (header.version == 2) directory.moving_fields.push_back({kVpkDataLengthAt, 4});
  SKL_TRY_DO(settle_data(source, header.base_bytes(), header.version == 2 ? data_end_bytes : size,
                         directory));
  if (size - directory.data_end_bytes > kMostBackBytes && directory.obstacle.empty())
    directory.obstacle = "there is much behind its data that belongs to no entry";
  return directory;
}

// New checksums would hide damage, so the old ones must match the archive.
Result<void> check_vpk_checksums(const ByteSource& source, const FlatDirectory& directory,
                                 const VpkHeader& header) {
  SKL_TRY(const std::string front, bytes_at(source, 0, directory.data_begin_bytes));
  SKL_TRY(const std::string back, bytes_at(source, directory.data_end_bytes,
                                           source.size_bytes() - directory.data_end_bytes));
  const size_t at = back.size() - 3 * kMd5Bytes;
  const auto visit_data = [&](const VisitBytes& visit) {
    return visit_bytes(source, directory.data_begin_bytes, directory.data_end_bytes, visit);
  };
  SKL_TRY(const auto expected,
          vpk_checksums(header, front, visit_data, std::string_view(back).substr(0, at)));
  if (back.substr(at) == expected) return {};
  return damaged({.file = source.name(),
                  .place = "checksums at its end",
                  .expected = "those of its tree and of all of it",
                  .found = "others",
                  .advice = "the archive is damaged: get it again"});
}

// Replaces the MD5s; `around` is what lies around the new archive's data.
Result<void> set_vpk_checksums(const ByteSource& source, const FlatDirectory& directory,
                               const FlatPlaces& places, const VpkHeader& header,
                               FlatAround& around) {
  const size_t at = around.back.size() - 3 * kMd5Bytes;
  const auto visit_data = [&](const VisitBytes& visit) {
    return visit_new_data(source, directory, places, visit);
  };
  SKL_TRY(const auto checksums, vpk_checksums(header, around.front, visit_data,
                                              std::string_view(around.back).substr(0, at)));
  around.back.replace(at, checksums.size(), checksums);
  return {};
}

Result<FlatAround> write_vpk(const ByteSource& source, const FlatDirectory& directory,
                             const FlatPlaces& places) {
  DirectoryCursor cursor(source, 0, source.size_bytes());
  SKL_TRY(const auto header, read_vpk_header(cursor));
  SKL_TRY(auto front, with_new_places(source, directory, places, 0, directory.data_begin_bytes));
  SKL_TRY(auto back, with_new_places(source, directory, places, directory.data_end_bytes,
                                     source.size_bytes()));
  FlatAround around = {std::move(front), std::move(back)};
  if (header.other_checksum_bytes == 0) return around;
  SKL_TRY_DO(check_vpk_checksums(source, directory, header));
  SKL_TRY_DO(set_vpk_checksums(source, directory, places, header, around));
  return around;
}

}  // namespace

const FlatFormat kValveVpk = {"Valve's VPK", may_be_vpk, read_vpk, write_vpk};

}  // namespace seekless
