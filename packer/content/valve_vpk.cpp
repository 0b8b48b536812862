// Reads and writes the directory of Valve's .vpk, versions 1 and 2, if the data lie in the same
// file, as in add-ons. If they lie in numbered files beside it (pak01_000.vpk), the archive isn't
// rewritten. Source of the format: the page "VPK (file format)" of Valve's developer wiki; for the
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

namespace seekless {
namespace {

using std::string_view_literals::operator""sv;

constexpr std::string_view kVpkMagic = "\x34\x12\xAA\x55"sv;
constexpr uint16_t kThisFile = 0x7FFF;
constexpr size_t kVpkRecordBytes = 18;
constexpr uint64_t kVpkDataLengthAt = 12;
constexpr size_t kMd5Bytes = 16;
constexpr uint64_t kMostBackBytes = 64U << 20;

struct VpkHeader {
  uint32_t version = 0;
  uint64_t header_bytes = 0;
  uint64_t tree_bytes = 0;
  uint64_t data_bytes = 0;      // only version 2
  uint64_t checksum_bytes = 0;  // length of the checksums of pieces of the data
  uint64_t other_checksum_bytes = 0;
  uint64_t signature_bytes = 0;

  uint64_t base_bytes() const { return header_bytes + tree_bytes; }
};

Result<VpkHeader> read_vpk_header(DirectoryCursor& cursor) {
  SKL_TRY(const auto front, cursor.take(12));
  VpkHeader header = {.version = load<uint32_t>(front, 4), .tree_bytes = load<uint32_t>(front, 8)};
  if (header.version == 2) {
    SKL_TRY(const auto more, cursor.take(16));
    header.data_bytes = load<uint32_t>(more, 0);
    header.checksum_bytes = load<uint32_t>(more, 4);
    header.other_checksum_bytes = load<uint32_t>(more, 8);
    header.signature_bytes = load<uint32_t>(more, 12);
  }
  header.header_bytes = cursor.at_bytes();
  return header;
}

std::string vpk_obstacle(const VpkHeader& header) {
  if (header.version != 1 && header.version != 2)
    return fmt::format("a .vpk of version {}; 1 and 2 are understood", header.version);
  if (header.signature_bytes > 0) return "it is signed";
  if (header.checksum_bytes > 0) return "it has a checksum for each piece of its data";
  if (header.other_checksum_bytes != 0 && header.other_checksum_bytes != 3 * kMd5Bytes)
    return "checksums that aren't understood";
  return {};
}

// Holds what the tree lists.
struct VpkTree {
  std::vector<FlatEntry> entries;  // entries with data in this file
  std::set<uint16_t> other_files;  // numbers of the files with other entries' data
  uint64_t end_bytes = 0;
};

// A space stands for no folder and no ending.
std::string vpk_path(const std::string& ending, const std::string& folder, std::string_view name) {
  std::string path = folder == " " || folder.empty() ? "" : folder + "/";
  path += name;
  return ending == " " || ending.empty() ? path : path + "." + ending;
}

Result<void> read_vpk_record(const ByteSource& source, DirectoryCursor& cursor,
                             const VpkHeader& header, std::string path, VpkTree& tree) {
  const uint64_t at_bytes = cursor.at_bytes();
  SKL_TRY(const auto record, cursor.take(kVpkRecordBytes));
  const auto first_bytes = load<uint16_t>(record, 4);
  const auto file = load<uint16_t>(record, 6);
  FlatEntry entry = {.name = std::move(path)};
  entry.name_fault = check_asset_path(entry.name);
  entry.base_bytes = header.base_bytes();
  entry.offset_bytes = entry.base_bytes + load<uint32_t>(record, 8);
  entry.size_bytes = load<uint32_t>(record, 12);
  if (entry.size_bytes > 0) entry.offset_field = {at_bytes + 8, 4};
  if (load<uint16_t>(record, 16) != 0xFFFF)
    return damaged({.file = source.name(),
                    .place = fmt::format("entry '{}' at byte {}", entry.name, at_bytes),
                    .expected = "0xFFFF at its end",
                    .found = fmt::format("{:#06x}", load<uint16_t>(record, 16)),
                    .advice = "the archive is damaged: get it again"});
  SKL_TRY_DROP(cursor.take(first_bytes));
  if (first_bytes > 0)
    entry.stored_as = kFileWithoutBegin;
  else
    entry.crc32 = load<uint32_t>(record, 0);
  if (file == kThisFile || entry.size_bytes == 0)
    tree.entries.push_back(std::move(entry));
  else
    tree.other_files.insert(file);
  return {};
}

Result<VpkTree> read_vpk_tree(const ByteSource& source, const VpkHeader& header) {
  const uint64_t end_bytes = std::min(header.base_bytes(), source.size_bytes());
  DirectoryCursor cursor(source, header.header_bytes, end_bytes);
  NameBudget budget(end_bytes - header.header_bytes);
  VpkTree tree;
  while (true) {
    SKL_TRY(const auto ending_text, cursor.text_before_zero());
    if (ending_text.empty()) break;
    const std::string ending(ending_text);
    while (true) {
      SKL_TRY(const auto folder_text, cursor.text_before_zero());
      if (folder_text.empty()) break;
      const std::string folder(folder_text);
      while (true) {
        SKL_TRY(const auto name, cursor.text_before_zero());
        if (name.empty()) break;
        SKL_TRY_DO(budget.spend(source, ending.size() + folder.size() + name.size()));
        SKL_TRY_DO(read_vpk_record(source, cursor, header, vpk_path(ending, folder, name), tree));
      }
    }
  }
  tree.end_bytes = cursor.at_bytes();
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

void add_text(Md5Hasher& hasher, std::string_view text) {
  hasher.add(std::as_bytes(std::span(text)));
}

std::string md5_text(Md5Hasher& hasher) {
  const Md5 digest = hasher.digest();
  return std::string(text_of(digest));
}

using VisitBytes = std::function<void(std::span<const std::byte>)>;

// Returns the three MD5s that end an archive: of the tree, of the pieces' checksums (there are
// none), and of all bytes before. `front` lies before the data, and `between` lies between data and
// MD5s.
Result<std::string> vpk_checksums(const VpkHeader& header, std::string_view front,
                                  const std::function<Result<void>(const VisitBytes&)>& visit_data,
                                  std::string_view between) {
  Md5Hasher tree;
  add_text(tree, front.substr(header.header_bytes, header.tree_bytes));
  Md5Hasher pieces;
  const std::string first = md5_text(tree) + md5_text(pieces);
  Md5Hasher all;
  add_text(all, front);
  SKL_TRY_DO(visit_data([&](std::span<const std::byte> bytes) { all.add(bytes); }));
  add_text(all, between);
  add_text(all, first);
  return first + md5_text(all);
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
