// Reads and writes the directory of Valve's .vpk, versions 1 and 2. The data lie in the same file,
// as in add-ons, or in numbered parts beside it (pak01_000.vpk beside pak01_dir.vpk). A part is an
// archive of its own here: its data are moved within it, so it keeps its name and its length, and
// the directory is written after the parts. Source of the format: the page "VPK (file format)" of
// Valve's developer wiki; for the checksums the package vpk of Python.
//
//   0x55AA1234 (4), version (4), length of the tree (4); version 2: lengths of the data, of the
//   archive's checksums, of other checksums (48 or 0), of the signature (4 each). The tree: ending,
//   folder, name, each ended by a zero and followed by those that it holds, up to an empty one.
//   After a name: CRC (4), length of the first bytes (2), number of the file with the data, or
//   0x7FFF for this one (2), place from the tree's end on, or from the numbered file's beginning
//   (4), length (4), 0xFFFF (2), the first bytes. Then data; the archive's checksums, one for each
//   piece of a numbered file: its number, place, length (4 each), MD5. Other checksums are three
//   MD5s: of the tree, of the archive's checksums, of all before.
#include <algorithm>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "packer/base/checksum_of_format.h"
#include "packer/base/paths.h"
#include "packer/content/internal/directory_cursor.h"
#include "packer/content/internal/flat_formats.h"
#include "packer/content/internal/vpk_names.h"

namespace seekless {
namespace {

using std::string_view_literals::operator""sv;

constexpr std::string_view kVpkMagic = "\x34\x12\xAA\x55"sv;
constexpr uint16_t kThisFile = kVpkDirectoryNumber;
constexpr size_t kVpkRecordBytes = 18;
constexpr uint64_t kVpkDataLengthAt = 12;
constexpr size_t kMd5Bytes = 16;
constexpr size_t kPieceRecordBytes = 12 + kMd5Bytes;
constexpr uint64_t kMostBackBytes = 64U << 20;

struct VpkHeader {
  uint32_t version = 0;
  uint64_t header_bytes = 0;
  uint64_t tree_bytes = 0;
  uint64_t data_bytes = 0;      // only version 2
  uint64_t checksum_bytes = 0;  // of pieces of the archive
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
  if (header.checksum_bytes % kPieceRecordBytes != 0 || header.checksum_bytes > kMostBackBytes)
    return "checksums of pieces that aren't understood";
  if (header.other_checksum_bytes != 0 && header.other_checksum_bytes != 3 * kMd5Bytes)
    return "checksums that aren't understood";
  return {};
}

// An entry's field for the number of the file with its data.
struct VpkNumberField {
  uint64_t at_bytes = 0;
  uint16_t number = 0;
};

// Holds what the tree lists.
struct VpkTree {
  std::vector<FlatEntry> entries;       // whose data lie in the file of that number
  std::set<uint16_t> parts;             // numbers of all other files with data
  std::vector<VpkNumberField> numbers;  // of the entries with data in those
};

// A space stands for no folder and no ending.
std::string vpk_path(const std::string& ending, const std::string& folder, std::string_view name) {
  std::string path = folder == " " || folder.empty() ? "" : folder + "/";
  path += name;
  return ending == " " || ending.empty() ? path : path + "." + ending;
}

// Reads the tree for the entries of one file: a part, or that of the directory.
struct VpkTreeReader {
  const ByteSource& source;
  const VpkHeader& header;
  uint16_t number;

  Result<void> read_record(DirectoryCursor& cursor, std::string path, VpkTree& tree) const;
  Result<VpkTree> read() const;
};

Result<void> VpkTreeReader::read_record(DirectoryCursor& cursor, std::string path,
                                        VpkTree& tree) const {
  const uint64_t at_bytes = cursor.at_bytes();
  SKL_TRY(const auto record, cursor.take(kVpkRecordBytes));
  const auto first_bytes = load<uint16_t>(record, 4);
  const auto file = load<uint16_t>(record, 6);
  FlatEntry entry = {.name = std::move(path)};
  entry.name_fault = check_asset_path(entry.name);
  entry.base_bytes = number == kThisFile ? header.base_bytes() : 0;
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
  // An entry whose bytes all lie in the tree is one of the directory's file.
  const uint16_t lies_in_file = entry.size_bytes == 0 ? kThisFile : file;
  if (lies_in_file == number)
    tree.entries.push_back(std::move(entry));
  else if (lies_in_file != kThisFile) {
    tree.parts.insert(file);
    tree.numbers.push_back({at_bytes + 6, file});
  }
  return {};
}

Result<VpkTree> VpkTreeReader::read() const {
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
        SKL_TRY_DO(read_record(cursor, vpk_path(ending, folder, name), tree));
      }
    }
  }
  return tree;
}

bool may_be_vpk(const FileEnds& ends) {
  return text_of(ends.front).starts_with(kVpkMagic);
}

// A piece of a part, and where its record begins in the checksums of pieces.
struct VpkPiece {
  uint32_t file = 0;
  uint32_t offset_bytes = 0;
  uint32_t length_bytes = 0;
  size_t at = 0;
};

std::vector<VpkPiece> vpk_pieces(std::string_view checksums) {
  std::vector<VpkPiece> pieces;
  const auto bytes = std::as_bytes(std::span(checksums));
  for (size_t at = 0; at + kPieceRecordBytes <= bytes.size(); at += kPieceRecordBytes)
    pieces.push_back({load<uint32_t>(bytes, at), load<uint32_t>(bytes, at + 4),
                      load<uint32_t>(bytes, at + 8), at});
  return pieces;
}

Result<VpkHeader> read_vpk_header(const ByteSource& source) {
  DirectoryCursor cursor(source, 0, source.size_bytes());
  return read_vpk_header(cursor);
}

// Returns why a set or a lone archive of this header can't be rewritten, or an empty text.
Result<std::string> set_obstacle(const ByteSource& source, const VpkHeader& header) {
  if (auto obstacle = vpk_obstacle(header); !obstacle.empty()) return obstacle;
  const uint64_t size = source.size_bytes();
  const uint64_t data_end_bytes = header.base_bytes() + header.data_bytes;
  if (header.base_bytes() > size ||
      (header.version == 2 &&
       data_end_bytes + header.checksum_bytes + header.other_checksum_bytes != size))
    return "the lengths in its header don't add up to its own";
  if (header.checksum_bytes == 0) return std::string();
  SKL_TRY(const auto checksums, bytes_at(source, data_end_bytes, header.checksum_bytes));
  for (const VpkPiece& piece : vpk_pieces(checksums))
    if (piece.file >= kThisFile) return "it has checksums for pieces of its own data";
  return std::string();
}

Result<std::optional<FlatDirectory>> read_vpk(const ByteSource& source) {
  SKL_TRY(const auto header, read_vpk_header(source));
  SKL_TRY(auto obstacle, set_obstacle(source, header));
  FlatDirectory directory{.obstacle = std::move(obstacle)};
  if (!directory.obstacle.empty()) return directory;
  const uint64_t size = source.size_bytes();
  const uint64_t data_end_bytes = header.base_bytes() + header.data_bytes;
  SKL_TRY(auto tree, (VpkTreeReader{source, header, kThisFile}.read()));
  directory.entries = std::move(tree.entries);
  for (const uint16_t number : tree.parts) {
    auto part = vpk_part_of(file_name(source.name()), number);
    if (!part) {
      directory.obstacle = fmt::format(
          "its data lie in other files ('..._{:03}.vpk'), which are only found beside "
          "'..._dir.vpk'",
          number);
      return directory;
    }
    directory.parts.push_back(*std::move(part));
  }
  if (header.version == 2) directory.moving_fields.push_back({kVpkDataLengthAt, 4});
  SKL_TRY_DO(settle_data(source, header.base_bytes(), header.version == 2 ? data_end_bytes : size,
                         directory));
  if (size - directory.data_end_bytes > kMostBackBytes && directory.obstacle.empty())
    directory.obstacle = "there is much behind its data that belongs to no entry";
  return directory;
}

// Returns the directory of the set that the file is a part of; null if there is none.
std::unique_ptr<ByteSource> open_vpk_directory(std::string_view part) {
  const std::string path = directory_file_of(part);
  if (path.empty()) return nullptr;
  auto source = open_source(path);
  if (!source || (*source)->size_bytes() < kVpkMagic.size()) return nullptr;
  const auto magic = bytes_at(**source, 0, kVpkMagic.size());
  return magic && *magic == kVpkMagic ? *std::move(source) : nullptr;
}

bool may_be_vpk_part(const FileEnds& ends) {
  return open_vpk_directory(ends.path) != nullptr;
}

// Data that lie without any gap were never aligned.
bool lies_close(const FlatDirectory& directory) {
  std::map<uint64_t, uint64_t> sizes;
  for (const FlatEntry& entry : directory.entries) sizes[entry.offset_bytes] = entry.size_bytes;
  uint64_t bytes = 0;
  for (const auto& [offset, size] : sizes) bytes += size;
  return bytes == directory.data_end_bytes - directory.data_begin_bytes;
}

Result<std::optional<FlatDirectory>> read_vpk_part(const ByteSource& source) {
  const auto set = open_vpk_directory(source.name());
  const auto name = VpkPartName::of(source.name());
  if (!set || !name) return std::nullopt;
  SKL_TRY(const auto header, read_vpk_header(*set));
  SKL_TRY(auto obstacle, set_obstacle(*set, header));
  FlatDirectory directory{.obstacle = std::move(obstacle)};
  if (!directory.obstacle.empty()) return directory;
  SKL_TRY(auto tree, (VpkTreeReader{*set, header, name->number}.read()));
  if (tree.entries.empty()) return std::nullopt;
  directory.entries = std::move(tree.entries);
  SKL_TRY_DO(settle_data(source, 0, source.size_bytes(), directory));
  if (lies_close(directory)) directory.alignment_bytes = 1;
  if (source.size_bytes() - directory.data_end_bytes > kMostBackBytes && directory.obstacle.empty())
    directory.obstacle = "there is much behind its data that belongs to no entry";
  return directory;
}

// A part whose data need less room for alignment than before keeps its length all the same.
Result<FlatAround> write_vpk_part(const ByteSource& source, const FlatDirectory& directory,
                                  const FlatPlaces& places) {
  SKL_TRY(auto front, bytes_at(source, 0, directory.data_begin_bytes));
  SKL_TRY(auto back, bytes_at(source, directory.data_end_bytes,
                              source.size_bytes() - directory.data_end_bytes));
  if (places.data_end_bytes < directory.data_end_bytes)
    back.insert(0, directory.data_end_bytes - places.data_end_bytes, '\0');
  return FlatAround{std::move(front), std::move(back)};
}

void add_text(Md5Hasher& hasher, std::string_view text) {
  hasher.add(std::as_bytes(std::span(text)));
}

std::string md5_text(Md5Hasher& hasher) {
  const Md5 digest = hasher.digest();
  return std::string(text_of(digest));
}

using VisitBytes = std::function<void(std::span<const std::byte>)>;
using VisitData = std::function<Result<void>(const VisitBytes&)>;

// Returns the three MD5s that end an archive, of what lies in front of its data, of the data, and
// of what lies between them and the MD5s, which ends with the checksums of pieces.
Result<std::string> vpk_checksums(const VpkHeader& header, std::string_view front,
                                  const VisitData& visit_data, std::string_view between) {
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

// New checksums would hide that an archive is damaged, so it must have the old ones.
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

// Replaces the MD5s; `around` is what lies around the data that are visited.
Result<void> set_vpk_checksums(const VisitData& visit_data, const VpkHeader& header,
                               FlatAround& around) {
  const size_t at = around.back.size() - 3 * kMd5Bytes;
  SKL_TRY(const auto checksums, vpk_checksums(header, around.front, visit_data,
                                              std::string_view(around.back).substr(0, at)));
  around.back.replace(at, checksums.size(), checksums);
  return {};
}

// Returns the checksums of pieces, which lie behind the data.
std::span<char> pieces_in(FlatAround& around, const VpkHeader& header) {
  const size_t end = around.back.size() - header.other_checksum_bytes;
  return std::span(around.back).subspan(end - header.checksum_bytes, header.checksum_bytes);
}

Result<std::string> md5_of_piece(const ByteSource& source, const VpkPiece& piece) {
  const uint64_t end_bytes = uint64_t{piece.offset_bytes} + piece.length_bytes;
  if (end_bytes > source.size_bytes())
    return damaged({.file = source.name(),
                    .expected = fmt::format("a piece that ends at byte {}", end_bytes),
                    .found = fmt::format("{} bytes", source.size_bytes()),
                    .advice = "the archive is damaged: get it again"});
  Md5Hasher hasher;
  SKL_TRY_DO(visit_bytes(source, piece.offset_bytes, end_bytes,
                         [&](std::span<const std::byte> bytes) { hasher.add(bytes); }));
  return md5_text(hasher);
}

// Gives the part's pieces the MD5s of the new part. The old part must have had the old ones.
Result<void> renew_pieces(const MovedPart& part, std::span<char> checksums) {
  const auto name = VpkPartName::of(part.name);
  SKL_TRY(const auto after, open_source(part.new_path));
  for (VpkPiece piece : vpk_pieces({checksums.data(), checksums.size()})) {
    if (!name || piece.file != name->number) continue;
    char* const md5 = checksums.data() + piece.at + 12;
    SKL_TRY(const auto expected, md5_of_piece(*part.before, piece));
    if (expected != std::string_view(md5, kMd5Bytes))
      return damaged(
          {.file = part.before->name(),
           .place = fmt::format("{} bytes from byte {} on", piece.length_bytes, piece.offset_bytes),
           .expected = "those of the checksum in its directory",
           .found = "others",
           .advice = "the archive is damaged: get it again"});
    // The last piece grows with a part whose data need more room for alignment than before.
    if (uint64_t{piece.offset_bytes} + piece.length_bytes == part.before->size_bytes()) {
      piece.length_bytes = static_cast<uint32_t>(
          std::min<uint64_t>(after->size_bytes(), UINT32_MAX) - piece.offset_bytes);
      std::memcpy(checksums.data() + piece.at + 8, &piece.length_bytes, 4);
    }
    SKL_TRY(const auto renewed, md5_of_piece(*after, piece));
    std::ranges::copy(renewed, md5);
  }
  return {};
}

Result<FlatAround> write_vpk(const ByteSource& source, const FlatDirectory& directory,
                             const FlatPlaces& places) {
  SKL_TRY(const auto header, read_vpk_header(source));
  SKL_TRY(auto front, with_new_places(source, directory, places, 0, directory.data_begin_bytes));
  SKL_TRY(auto back, with_new_places(source, directory, places, directory.data_end_bytes,
                                     source.size_bytes()));
  FlatAround around = {std::move(front), std::move(back)};
  if (header.other_checksum_bytes > 0) SKL_TRY_DO(check_vpk_checksums(source, directory, header));
  const auto pieces = pieces_in(around, header);
  for (const MovedPart& part : places.parts) SKL_TRY_DO(renew_pieces(part, pieces));
  if (header.other_checksum_bytes == 0) return around;
  const auto visit_data = [&](const VisitBytes& visit) {
    return visit_new_data(source, directory, places, visit);
  };
  SKL_TRY_DO(set_vpk_checksums(visit_data, header, around));
  return around;
}

// Maps numbers of parts to others.
using VpkNumbers = std::map<uint32_t, uint16_t>;

VpkNumbers numbers_of(const PartNames& names) {
  VpkNumbers numbers;
  for (const auto& [from, to] : names) {
    const auto old_name = VpkPartName::of(from);
    const auto new_name = VpkPartName::of(to);
    if (old_name && new_name) numbers[old_name->number] = new_name->number;
  }
  return numbers;
}

// The engine searches pieces by their numbers, in halves. Where it finds none, as it may among
// renumbered ones, it reads without checking.
void number_pieces(const VpkNumbers& numbers, std::span<char> checksums) {
  for (const VpkPiece& piece : vpk_pieces({checksums.data(), checksums.size()})) {
    const auto found = numbers.find(piece.file);
    if (found == numbers.end()) continue;
    const uint32_t number = found->second;
    std::memcpy(checksums.data() + piece.at, &number, sizeof number);
  }
}

}  // namespace

const FlatFormat kValveVpk = {"Valve's VPK", may_be_vpk, read_vpk, write_vpk};
const FlatFormat kValveVpkPart = {"a part of Valve's VPK", may_be_vpk_part, read_vpk_part,
                                  write_vpk_part, true};

std::string directory_file_of(std::string_view path) {
  const auto name = VpkPartName::of(path);
  return name ? name->directory() : std::string();
}

bool is_part_of_set(const ByteSource& source) {
  return open_vpk_directory(source.name()) != nullptr;
}

Result<std::vector<std::string>> spare_parts(const ByteSource& directory,
                                             const std::string& directory_path, size_t count) {
  SKL_TRY(const auto header, read_vpk_header(directory));
  SKL_TRY(const auto tree, (VpkTreeReader{directory, header, kThisFile}.read()));
  auto names = spare_vpk_parts(directory_path, tree.parts, count);
  if (names.size() == count) return names;
  return failed({.file = directory_path,
                 .expected = fmt::format("{} numbers that no part has", count),
                 .found = fmt::format("{}", names.size()),
                 .advice = "this set can't be replaced in place: repack it to another folder"});
}

Result<FlatAround> with_part_names(const ByteSource& source, const FlatDirectory& directory,
                                   const PartNames& names) {
  SKL_TRY(const auto header, read_vpk_header(source));
  SKL_TRY(const auto tree, (VpkTreeReader{source, header, kThisFile}.read()));
  SKL_TRY(auto front, bytes_at(source, 0, directory.data_begin_bytes));
  SKL_TRY(auto back, bytes_at(source, directory.data_end_bytes,
                              source.size_bytes() - directory.data_end_bytes));
  const auto numbers = numbers_of(names);
  for (const VpkNumberField& field : tree.numbers)
    if (const auto found = numbers.find(field.number); found != numbers.end())
      std::memcpy(front.data() + field.at_bytes, &found->second, sizeof found->second);
  FlatAround around = {std::move(front), std::move(back)};
  number_pieces(numbers, pieces_in(around, header));
  if (header.other_checksum_bytes == 0) return around;
  const auto visit_data = [&](const VisitBytes& visit) {
    return visit_bytes(source, directory.data_begin_bytes, directory.data_end_bytes, visit);
  };
  SKL_TRY_DO(set_vpk_checksums(visit_data, header, around));
  return around;
}

}  // namespace seekless
