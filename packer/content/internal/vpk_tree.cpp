#include "packer/content/internal/vpk_tree.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "packer/base/checksum_of_format.h"

namespace seekless {
namespace {

// A space stands for no folder and no ending.
std::string vpk_path(const std::string& ending, const std::string& folder, std::string_view name) {
  std::string path = folder == " " || folder.empty() ? "" : folder + "/";
  path += name;
  return ending == " " || ending.empty() ? path : path + "." + ending;
}

Result<VpkRecord> read_vpk_record(const ByteSource& source, DirectoryCursor& cursor,
                                  std::string path) {
  VpkRecord record = {.path = std::move(path), .at_bytes = cursor.at_bytes()};
  SKL_TRY(const auto bytes, cursor.take(kVpkRecordBytes));
  record.crc32 = load<uint32_t>(bytes, 0);
  record.first_bytes = load<uint16_t>(bytes, 4);
  record.file = load<uint16_t>(bytes, 6);
  record.offset_bytes = load<uint32_t>(bytes, 8);
  record.size_bytes = load<uint32_t>(bytes, 12);
  if (load<uint16_t>(bytes, 16) != 0xFFFF)
    return damaged({.file = source.name(),
                    .place = fmt::format("entry '{}' at byte {}", record.path, record.at_bytes),
                    .expected = "0xFFFF at its end",
                    .found = fmt::format("{:#06x}", load<uint16_t>(bytes, 16)),
                    .advice = "the archive is damaged: get it again"});
  SKL_TRY_DROP(cursor.take(record.first_bytes));
  return record;
}

void add_text(Md5Hasher& hasher, std::string_view text) {
  hasher.add(std::as_bytes(std::span(text)));
}

std::string md5_text(Md5Hasher& hasher) {
  const Md5 digest = hasher.digest();
  return std::string(text_of(digest));
}

}  // namespace

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

Result<uint64_t> visit_vpk_records(const ByteSource& source, const VpkHeader& header,
                                   const std::function<void(VpkRecord&&)>& visit) {
  const uint64_t end_bytes = std::min(header.base_bytes(), source.size_bytes());
  DirectoryCursor cursor(source, header.header_bytes, end_bytes);
  NameBudget budget(end_bytes - header.header_bytes);
  while (true) {
    SKL_TRY(const auto ending_text, cursor.text_before_zero());
    if (ending_text.empty()) return cursor.at_bytes();
    const std::string ending(ending_text);
    while (true) {
      SKL_TRY(const auto folder_text, cursor.text_before_zero());
      if (folder_text.empty()) break;
      const std::string folder(folder_text);
      while (true) {
        SKL_TRY(const auto name, cursor.text_before_zero());
        if (name.empty()) break;
        SKL_TRY_DO(budget.spend(source, ending.size() + folder.size() + name.size()));
        SKL_TRY(auto record, read_vpk_record(source, cursor, vpk_path(ending, folder, name)));
        visit(std::move(record));
      }
    }
  }
}

Result<std::string> vpk_checksums(const VpkHeader& header, std::string_view front,
                                  const std::function<Result<void>(const VisitBytes&)>& visit_data,
                                  std::string_view between) {
  Md5Hasher tree;
  add_text(tree, front.substr(header.header_bytes, header.tree_bytes));
  Md5Hasher pieces;
  add_text(pieces, between.substr(between.size() - header.checksum_bytes));
  const std::string first = md5_text(tree) + md5_text(pieces);
  Md5Hasher all;
  add_text(all, front);
  SKL_TRY_DO(visit_data([&](std::span<const std::byte> bytes) { all.add(bytes); }));
  add_text(all, between);
  add_text(all, first);
  return first + md5_text(all);
}

}  // namespace seekless
