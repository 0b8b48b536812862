// Rewrites a set of Valve's VPKs. The entries that recordings read are copied, in their new order,
// into new parts; a new directory names these. No existing part changes. So the old directory and
// the new one both fit what lies beside them, whatever is interrupted in between.
#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <zlib.h>

#include "packer/base/hashed_file.h"
#include "packer/base/hasher.h"
#include "packer/base/paths.h"
#include "packer/content/vpk_set.h"
#include "packer/host/pending_file.h"
#include "packer/repack/internal/archive_rewriter.h"
#include "packer/repack/internal/fetched_ahead.h"
#include "packer/repack/internal/sequential_output.h"
#include "packer/repack/internal/set_parts.h"
#include "runtime/pack_format.h"

namespace seekless {
namespace {

// Engines read offsets in parts as signed numbers of 32 bits.
constexpr uint64_t kMostPartBytes = (uint64_t{1} << 31) - 1;
// A checksum takes 28 bytes for each piece, which has a megabyte in Valve's sets.
constexpr uint64_t kLeastTableBytes = 4096;
constexpr uint64_t kBytesOfTablePart = 1024;

struct PartToWrite {
  uint16_t number = 0;
  std::vector<uint32_t> entries;  // entries whose data are copied, front to back
  uint64_t size_bytes = 0;
};

struct SetPlan {
  std::vector<PartToWrite> parts;
  VpkChanges changes;  // without the checksums of new pieces
};

// A new part, written but without its name yet.
struct WrittenPart {
  PendingFile file;
  AddedFile added;
  std::vector<VpkPieceSum> sums;
};

// Computes the checksums of a part's pieces from its bytes, front to back.
class PieceSummer {
 public:
  // There are none if `piece_bytes` is 0.
  PieceSummer(uint16_t part, uint32_t piece_bytes) : piece_bytes_(piece_bytes) { sum_.part = part; }

  void add(std::span<const std::byte> bytes) {
    while (piece_bytes_ > 0 && !bytes.empty()) {
      const auto now =
          bytes.first(std::min<size_t>(bytes.size(), piece_bytes_ - sum_.length_bytes));
      hasher_.add(now);
      sum_.length_bytes += static_cast<uint32_t>(now.size());
      if (sum_.length_bytes == piece_bytes_) end_piece();
      bytes = bytes.subspan(now.size());
    }
  }

  std::vector<VpkPieceSum> finish() {
    if (sum_.length_bytes > 0) end_piece();
    return std::move(sums_);
  }

 private:
  void end_piece() {
    sum_.md5 = hasher_.digest();
    sums_.push_back(sum_);
    sum_.offset_bytes += sum_.length_bytes;
    sum_.length_bytes = 0;
    hasher_ = Md5Hasher();
  }

  uint32_t piece_bytes_;
  Md5Hasher hasher_;
  VpkPieceSum sum_;
  std::vector<VpkPieceSum> sums_;
};

class VpkSetRewriter final : public ArchiveRewriter {
 public:
  VpkSetRewriter(std::shared_ptr<const ByteSource> bytes, std::string path, VpkSet set,
                 std::vector<std::string> vacated)
      : bytes_(std::move(bytes)),
        path_(std::move(path)),
        set_(std::move(set)),
        vacated_(std::move(vacated)) {}

  size_t entry_count() const override { return set_.entries.size(); }
  std::string obstacle() const override { return set_.obstacle; }

  Result<uint64_t> expected_bytes(std::span<const uint32_t> read_entries,
                                  const RewriteOptions&) const override {
    SKL_TRY(const SetPlan plan, plan_parts(read_entries));
    uint64_t bytes = bytes_->size_bytes() + kLeastTableBytes;
    for (const PartToWrite& part : plan.parts) bytes += part.size_bytes;
    return bytes + bytes / kBytesOfTablePart;
  }

  Result<std::string> prepare(bool) override {
    // The set was read anew, and may have changed since it was scanned.
    if (!set_.obstacle.empty()) return set_.obstacle;
    SKL_TRY_DO(check_vpk_directory(*bytes_, set_));
    return std::string();
  }

  Result<RewriteReport> rewrite(std::span<const uint32_t> read_entries, const RewriteOptions&,
                                const std::string& new_path,
                                std::atomic<uint64_t>* done_bytes) const override {
    SKL_TRY(SetPlan plan, plan_parts(read_entries));
    RewriteReport report;
    report.read_entries = read_entries.size();
    report.hashes.resize(set_.entries.size());
    std::vector<WrittenPart> parts;
    std::vector<VpkPieceSum>& sums = plan.changes.sums;
    for (const PartToWrite& part : plan.parts) {
      SKL_TRY(auto written, write_part(part, plan, new_path, report, done_bytes));
      sums.insert(sums.end(), written.sums.begin(), written.sums.end());
      report.file_bytes += written.added.size_bytes;
      report.added.push_back(written.added);
      parts.push_back(std::move(written));
    }
    SKL_TRY_DO(write_directory(plan.changes, new_path, report));
    // The parts get their names last, so that nothing remains if something fails.
    for (WrittenPart& part : parts) SKL_TRY_DO(part.file.commit(false));
    if (done_bytes != nullptr) *done_bytes += bytes_->size_bytes();
    return report;
  }

  // The new set must list the same files with the same data. Data that didn't move must be named
  // where they were.
  Result<void> verify(const std::string& new_path, const RewriteReport& report,
                      std::atomic<uint64_t>* done_bytes) const override {
    SKL_TRY(const auto directory, open_source(new_path));
    SKL_TRY(const auto after, read_directory_alone(*directory));
    SKL_TRY_DO(check_vpk_directory(*directory, after));
    if (!have_same_files(set_, after)) return set_differs(new_path, "the files that it listed");
    std::map<uint16_t, std::unique_ptr<ByteSource>> parts;
    SKL_TRY(const auto new_numbers, open_parts(new_path, report, parts));
    std::map<uint32_t, VpkPlace> places;
    for (uint32_t number = 0; number < set_.entries.size(); ++number) {
      const VpkRecord& was = set_.entry(number);
      const VpkRecord& is = after.records[set_.entries[number]];
      if (!new_numbers.contains(is.file)) {
        if (is.file == was.file && is.offset_bytes == was.offset_bytes) continue;
        return set_differs(new_path, fmt::format("the place of entry '{}'", was.path));
      }
      places[number] = {is.file, is.offset_bytes};
    }
    SKL_TRY_DO(verify_rest(*directory, after, places, new_numbers));
    if (done_bytes != nullptr) *done_bytes += directory->size_bytes();
    return verify_data(new_path, report, places, parts, done_bytes);
  }

 private:
  bool is_vacated(const PartOfSet& part) const {
    return std::ranges::find(vacated_, file_name(part.path)) != vacated_.end();
  }

  std::vector<uint32_t> vacated_parts() const {
    std::vector<uint32_t> numbers;
    for (const PartOfSet& part : set_.parts)
      if (is_vacated(part)) numbers.push_back(part.number);
    return numbers;
  }

  // Returns the entries that move: those that recordings read, then the rest of vacated parts.
  // Leaves out numbers of entries that the directory has no longer.
  std::vector<uint32_t> entries_to_move(std::span<const uint32_t> read_entries) const {
    std::vector<uint32_t> entries;
    std::vector<bool> is_read(set_.entries.size(), false);
    for (const uint32_t number : read_entries) {
      if (number >= is_read.size()) continue;
      entries.push_back(number);
      is_read[number] = true;
    }
    for (const PartOfSet& part : set_.parts) {
      if (!is_vacated(part)) continue;
      const size_t first = entries.size();
      for (uint32_t i = 0; i < part.entry_count; ++i)
        if (!is_read[part.first_entry + i]) entries.push_back(part.first_entry + i);
      std::ranges::stable_sort(entries.begin() + static_cast<ptrdiff_t>(first), entries.end(), {},
                               [this](uint32_t i) { return set_.entry(i).offset_bytes; });
    }
    return entries;
  }

  // Gives the next new part a number above those of all parts that stay, so that the numbers have
  // no gap, and that no file has.
  Result<uint16_t> next_number(const std::vector<PartToWrite>& before) const {
    uint32_t number = 0;
    for (const PartOfSet& part : set_.parts)
      if (part.entry_count > 0 && !is_vacated(part)) number = part.number + uint32_t{1};
    if (!before.empty()) number = before.back().number + uint32_t{1};
    while (std::ranges::binary_search(set_.taken, number) ||
           std::ranges::binary_search(set_.sums, number, {}, &VpkPieceSum::part))
      ++number;
    if (number <= kMostVpkPart) return static_cast<uint16_t>(number);
    return damaged(
        {.file = path_,
         .expected = fmt::format("an unused number of at most {} for a new part", kMostVpkPart),
         .found = "files beside it, or checksums, of all numbers from there on",
         .advice = "remove those that don't belong to the game"});
  }

  // Entries that share data still share them, also if recordings read only one of them.
  Result<SetPlan> plan_parts(std::span<const uint32_t> read_entries) const {
    SetPlan plan;
    plan.changes.gone = vacated_parts();
    std::map<Stretch, VpkPlace> placed;
    for (const uint32_t number : entries_to_move(read_entries)) {
      if (placed.contains(stretch_of(number))) continue;
      SKL_TRY(placed[stretch_of(number)], place_next(number, plan.parts));
    }
    for (uint32_t number = 0; number < set_.entries.size(); ++number)
      if (const auto found = placed.find(stretch_of(number)); found != placed.end())
        plan.changes.places[number] = found->second;
    return plan;
  }

  // The data of an entry: part, offset, size.
  using Stretch = std::tuple<uint16_t, uint32_t, uint32_t>;

  Stretch stretch_of(uint32_t number) const {
    const VpkRecord& entry = set_.entry(number);
    return {entry.file, entry.offset_bytes, entry.size_bytes};
  }

  // Returns the entry's place behind those that were placed before.
  Result<VpkPlace> place_next(uint32_t number, std::vector<PartToWrite>& parts) const {
    const uint32_t size_bytes = set_.entry(number).size_bytes;
    if (parts.empty() || data_begin(parts.back()) + size_bytes > kMostPartBytes) {
      SKL_TRY(const auto next, next_number(parts));
      parts.push_back({.number = next, .entries = {}});
    }
    PartToWrite& part = parts.back();
    const uint64_t begin = data_begin(part);
    part.entries.push_back(number);
    part.size_bytes = begin + size_bytes;
    return VpkPlace{part.number, static_cast<uint32_t>(begin)};
  }

  uint64_t data_begin(const PartToWrite& part) const {
    return format::round_up(part.size_bytes, set_.alignment_bytes);
  }

  const PartOfSet& part_of(uint32_t number) const { return part_called(set_.entry(number).file); }

  const PartOfSet& part_called(uint32_t number) const {
    return *std::ranges::lower_bound(set_.parts, number, {}, &PartOfSet::number);
  }

  Result<const ByteSource*> open_part(uint32_t number) const {
    const PartOfSet& part = part_called(number);
    return old_parts_.open(part.path, part.size_bytes);
  }

  std::vector<ArchivePiece> pieces_of(const PartToWrite& part) const {
    std::vector<ArchivePiece> pieces;
    for (const uint32_t number : part.entries) {
      const VpkRecord& entry = set_.entry(number);
      pieces.push_back(
          {entry.offset_bytes, uint64_t{entry.offset_bytes} + entry.size_bytes, entry.file});
    }
    return pieces;
  }

  Result<WrittenPart> write_part(const PartToWrite& part, const SetPlan& plan,
                                 const std::string& new_path, RewriteReport& report,
                                 std::atomic<uint64_t>* done_bytes) const {
    const std::string path = new_part_path(new_path, part.number);
    // Its owner and permissions are those of a part that the engine reads already.
    SKL_TRY(auto file, PendingFile::create(path, part.size_bytes, part_of(part.entries[0]).path));
    PieceSummer summer(part.number, set_.piece_bytes);
    SequentialOutput output(file);
    FetchedPieces fetched([this](uint32_t of) { return open_part(of); }, pieces_of(part));
    for (size_t i = 0; i < part.entries.size(); ++i) {
      SKL_TRY_DO(fetched.before(i));
      const uint32_t number = part.entries[i];
      const std::string gap(plan.changes.places.at(number).offset_bytes - output.position_bytes(),
                            '\0');
      summer.add(std::as_bytes(std::span(gap)));
      SKL_TRY_DO(output.append(gap));
      SKL_TRY(report.hashes[number], copy_entry(number, output, summer, done_bytes));
    }
    SKL_TRY(const uint64_t hash, output.finish());
    AddedFile added = {std::string(file_name(path)), hash, part.size_bytes};
    return WrittenPart{std::move(file), std::move(added), summer.finish()};
  }

  // The parts' names in a set consist of the directory's name, whatever the new directory is called
  // until it is in place.
  std::string new_part_path(const std::string& new_path, uint16_t number) const {
    return path_beside(new_path, file_name(vpk_part_path(path_, number)));
  }

  // Returns the hash of the data. An update may have changed a part after its directory was read,
  // so the data must match the entry's checksum.
  Result<uint64_t> copy_entry(uint32_t number, SequentialOutput& output, PieceSummer& summer,
                              std::atomic<uint64_t>* done_bytes) const {
    const VpkRecord& entry = set_.entry(number);
    SKL_TRY(const auto part, open_part(entry.file));
    SKL_TRY(const std::string first, first_bytes_of(*bytes_, entry));
    Hasher64 hasher;
    uLong crc = crc32_z(0, reinterpret_cast<const Bytef*>(first.data()), first.size());
    const auto see = [&](std::span<const std::byte> piece) {
      hasher.add(piece);
      summer.add(piece);
      crc = crc32_z(crc, reinterpret_cast<const Bytef*>(piece.data()), piece.size());
      if (done_bytes != nullptr) *done_bytes += piece.size();
    };
    SKL_TRY_DO(output.append_from(*part, entry.offset_bytes, entry.size_bytes, see));
    if (crc == entry.crc32) return hasher.digest();
    return damaged(
        {.file = part_of(number).path,
         .place = fmt::format("entry '{}' at byte {}", entry.path, entry.offset_bytes),
         .expected = fmt::format("the checksum {:#010x}", entry.crc32),
         .found = fmt::format("{:#010x}", crc),
         .advice = "the part is damaged, or belongs to another directory: get it again"});
  }

  Result<void> write_directory(const VpkChanges& changes, const std::string& new_path,
                               RewriteReport& report) const {
    SKL_TRY(const auto around, new_vpk_directory(*bytes_, set_, changes));
    const uint64_t begin_bytes = around.front.size();
    const uint64_t size_bytes = set_.data_end_bytes + around.back.size();
    SKL_TRY(auto file, PendingFile::create(new_path, size_bytes, path_));
    SequentialOutput output(file);
    SKL_TRY_DO(output.append(around.front));
    SKL_TRY_DO(output.append_from(*bytes_, begin_bytes, set_.data_end_bytes - begin_bytes,
                                  [](std::span<const std::byte>) {}));
    SKL_TRY_DO(output.append(around.back));
    report.file_bytes += output.position_bytes();
    SKL_TRY(report.file_hash, output.finish());
    return file.commit(false);
  }

  // Reads a new directory that lies apart from the old parts.
  Result<VpkSet> read_directory_alone(const ByteSource& directory) const {
    SKL_TRY(auto after, read_vpk_set(directory, path_));
    if (after && after->is_tree_read && after->header.version == set_.header.version &&
        after->data_end_bytes == set_.data_end_bytes)
      return *std::move(after);
    return set_differs(directory.name(), "a directory like the old one");
  }

  // Opens the new parts, and returns their numbers.
  Result<std::set<uint16_t>> open_parts(
      const std::string& new_path, const RewriteReport& report,
      std::map<uint16_t, std::unique_ptr<ByteSource>>& parts) const {
    std::set<uint16_t> numbers;
    uint32_t number = 0;
    for (const AddedFile& added : report.added) {
      while (file_name(vpk_part_path(path_, static_cast<uint16_t>(number))) != added.name) ++number;
      const std::string path = new_part_path(new_path, static_cast<uint16_t>(number));
      SKL_TRY(parts[static_cast<uint16_t>(number)], open_source(path));
      numbers.insert(static_cast<uint16_t>(number));
    }
    return numbers;
  }

  // Makes the directory of the places that were found once more, and compares everything but the
  // checksums of new pieces.
  Result<void> verify_rest(const ByteSource& directory, const VpkSet& after,
                           const std::map<uint32_t, VpkPlace>& places,
                           const std::set<uint16_t>& new_numbers) const {
    const VpkChanges changes = {.places = places, .gone = vacated_parts()};
    const VpkChanges without_new = {.gone = {new_numbers.begin(), new_numbers.end()}};
    SKL_TRY(const auto expected, new_vpk_directory(*bytes_, set_, changes));
    SKL_TRY(const auto found, new_vpk_directory(directory, after, without_new));
    if (expected.front != found.front)
      return set_differs(directory.name(), "the old directory but for the places");
    if (expected.back != found.back)
      return set_differs(directory.name(), "the old checksums of pieces");
    return verify_own_data(directory);
  }

  // Compares the data in the directory's own file, which don't move.
  Result<void> verify_own_data(const ByteSource& directory) const {
    const uint64_t begin_bytes = set_.header.base_bytes();
    Hasher64 old_data, new_data;
    SKL_TRY_DO(add_range(old_data, *bytes_, begin_bytes, set_.data_end_bytes - begin_bytes));
    SKL_TRY_DO(add_range(new_data, directory, begin_bytes, set_.data_end_bytes - begin_bytes));
    if (old_data.digest() == new_data.digest()) return {};
    return set_differs(directory.name(), "the data in its own file");
  }

  Result<void> verify_data(const std::string& new_path, const RewriteReport& report,
                           const std::map<uint32_t, VpkPlace>& places,
                           const std::map<uint16_t, std::unique_ptr<ByteSource>>& parts,
                           std::atomic<uint64_t>* done_bytes) const {
    std::map<std::pair<uint16_t, uint32_t>, uint32_t> copied;  // entries, by their new places
    for (const auto& [number, place] : places)
      // Of entries that share their data, one has the hash.
      if (report.hashes[number] != 0) copied[{place.part, place.offset_bytes}] = number;
    std::map<std::pair<uint16_t, uint32_t>, uint32_t> sizes;  // of data that are the same
    for (const auto& [place, number] : copied) {
      const uint32_t size_bytes = set_.entry(number).size_bytes;
      Hasher64 hasher;
      SKL_TRY_DO(add_range(hasher, *parts.at(place.first), place.second, size_bytes));
      if (hasher.digest() == report.hashes[number]) sizes[place] = size_bytes;
      if (done_bytes != nullptr) *done_bytes += size_bytes;
    }
    for (const auto& [number, place] : places) {
      const auto same = sizes.find({place.part, place.offset_bytes});
      if (same == sizes.end() || same->second != set_.entry(number).size_bytes)
        return set_differs(new_path,
                           fmt::format("the data of entry '{}'", set_.entry(number).path));
    }
    return {};
  }

  const std::shared_ptr<const ByteSource> bytes_;
  const std::string path_;
  const VpkSet set_;
  const std::vector<std::string> vacated_;
  mutable OldParts old_parts_;
};

}  // namespace

Result<std::unique_ptr<ArchiveRewriter>> open_vpk_set_rewriter(
    std::shared_ptr<const ByteSource> bytes, const std::string& path,
    std::vector<std::string> vacated) {
  SKL_TRY(auto set, read_vpk_set(*bytes, path));
  if (set) {
    return std::make_unique<VpkSetRewriter>(std::move(bytes), path, *std::move(set),
                                            std::move(vacated));
  }
  return damaged({.file = bytes->name(),
                  .expected = "the directory of a set",
                  .found = "something else",
                  .advice = "it changed since it was scanned; run this again"});
}

}  // namespace seekless
