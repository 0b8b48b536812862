#include <algorithm>
#include <bit>
#include <cstring>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "packer/base/hashed_file.h"
#include "packer/base/hasher.h"
#include "packer/content/flat_archive.h"
#include "packer/host/pending_file.h"
#include "packer/repack/internal/archive_rewriter.h"
#include "packer/repack/internal/fetched_ahead.h"
#include "packer/repack/internal/sequential_output.h"
#include "runtime/pack_format.h"

namespace seekless {
namespace {

constexpr uint64_t kPieceBytes = uint64_t{1} << 20;
// An offset takes 2 to 11 bytes in a pickle, and zlib may compress the bytes around it less well.
constexpr uint64_t kMostEntryGrowthBytes = 32;

static_assert(std::endian::native == std::endian::little);

// Tells where data will lie in the new archive. If several entries share data, they still share it
// there.
struct FlatPlan {
  std::vector<uint32_t> order;         // entries whose data are copied, front to back
  std::vector<uint64_t> offset_bytes;  // indexed by entry
  uint64_t data_end_bytes = 0;
};

FlatPlan plan_places(const FlatDirectory& directory, std::span<const uint32_t> read_entries) {
  std::vector<uint32_t> by_place(directory.entries.size());
  for (uint32_t i = 0; i < by_place.size(); ++i) by_place[i] = i;
  std::ranges::stable_sort(by_place, {},
                           [&](uint32_t i) { return directory.entries[i].offset_bytes; });
  FlatPlan plan{.order = {}, .offset_bytes = std::vector<uint64_t>(by_place.size())};
  // Maps old offset and length to the new offset.
  std::map<std::pair<uint64_t, uint64_t>, uint64_t> placed;
  uint64_t at = directory.data_begin_bytes;
  std::vector<uint32_t> order = order_of_data(read_entries, by_place);
  // Offsets of 4 bytes don't reach past 4 GiB, so entries with such fields come first.
  std::ranges::stable_partition(
      order, [&](uint32_t i) { return directory.entries[i].offset_field.width_bytes <= 4; });
  for (const uint32_t i : order) {
    const FlatEntry& entry = directory.entries[i];
    const uint64_t begin = format::round_up(at, directory.alignment_bytes);
    const auto [found, is_new] = placed.try_emplace({entry.offset_bytes, entry.size_bytes}, begin);
    plan.offset_bytes[i] = found->second;
    if (!is_new || entry.size_bytes == 0) continue;
    plan.order.push_back(i);
    at = begin + entry.size_bytes;
  }
  plan.data_end_bytes = at;
  return plan;
}

class FlatRewriter final : public ArchiveRewriter {
 public:
  FlatRewriter(std::shared_ptr<const ByteSource> bytes, FlatDirectory directory)
      : bytes_(std::move(bytes)), directory_(std::move(directory)) {}

  size_t entry_count() const override { return directory_.entries.size(); }
  std::string obstacle() const override { return directory_.obstacle; }

  uint64_t expected_bytes(std::span<const uint32_t> read_entries,
                          const RewriteOptions&) const override {
    const uint64_t bytes = file_bytes(plan_places(directory_, read_entries));
    // A new directory may be longer.
    return directory_.format->write == nullptr
               ? bytes
               : bytes + 1024 + kMostEntryGrowthBytes * directory_.entries.size();
  }

  Result<std::string> prepare(bool) override {
    SKL_TRY(is_fetched_, fetch_whole(*bytes_));
    return obstacle_between_data(*bytes_, directory_);
  }

  Result<RewriteReport> rewrite(std::span<const uint32_t> read_entries, const RewriteOptions&,
                                const std::string& new_path,
                                std::atomic<uint64_t>* done_bytes) const override {
    const FlatPlan plan = plan_places(directory_, read_entries);
    SKL_TRY_DO(check_fields(plan));
    SKL_TRY(const auto made, around(places_of(plan)));
    const uint64_t new_bytes = made ? plan.data_end_bytes + made->back.size() : file_bytes(plan);
    SKL_TRY(auto file, PendingFile::create(new_path, new_bytes, bytes_->name()));
    SequentialOutput output(file);
    RewriteReport report;
    report.hashes.resize(directory_.entries.size());
    report.read_entries = read_entries.size();
    SKL_TRY_DO(made ? output.append(made->front)
                    : write_changed(0, directory_.data_begin_bytes, plan, output));
    FetchedPieces fetched(*bytes_,
                          is_fetched_ ? std::vector<ArchivePiece>() : pieces_of(plan.order));
    for (size_t i = 0; i < plan.order.size(); ++i) {
      SKL_TRY_DO(fetched.before(i));
      const uint32_t entry = plan.order[i];
      const uint64_t gap = plan.offset_bytes[entry] - output.position_bytes();
      SKL_TRY_DO(output.append(std::string(gap, '\0')));
      const FlatEntry& from = directory_.entries[entry];
      SKL_TRY(const auto hash, copy_hashed(from, output, done_bytes));
      report.hashes[entry] = hash;
    }
    SKL_TRY_DO(made ? output.append(made->back)
                    : write_changed(directory_.data_end_bytes, bytes_->size_bytes(), plan, output));
    report.file_bytes = output.position_bytes();
    share_hashes(report.hashes);
    if (done_bytes != nullptr) *done_bytes += bytes_->size_bytes() - data_bytes(plan.order);
    SKL_TRY(const auto hash, output.finish());
    report.file_hash = hash;
    SKL_TRY_DO(file.commit(false));
    return report;
  }

  Result<void> verify(const std::string& new_path, const RewriteReport& report,
                      std::atomic<uint64_t>* done_bytes) const override {
    SKL_TRY(const auto opened, open_source(new_path));
    SKL_TRY(const auto after, read_flat_directory(*opened));
    if (!after || !after->obstacle.empty() || after->entries.size() != directory_.entries.size())
      return differs(new_path, fmt::format("an archive of {} entries", directory_.entries.size()));
    SKL_TRY(const auto obstacle, obstacle_between_data(*opened, *after));
    if (!obstacle.empty()) return differs(new_path, "nothing between its entries");
    SKL_TRY_DO(verify_rest(*opened, *after));
    return verify_entries(*opened, *after, report, done_bytes);
  }

 private:
  static std::unexpected<Error> differs(const std::string& path, std::string expected) {
    return damaged({.file = path,
                    .expected = std::move(expected),
                    .found = "something else",
                    .advice = "the archive that was written isn't used; please report this"});
  }

  uint64_t file_bytes(const FlatPlan& plan) const {
    return bytes_->size_bytes() - directory_.data_end_bytes + plan.data_end_bytes;
  }

  // Returns an error if an offset doesn't fit its field: 4 bytes hold offsets up to 4 GiB.
  Result<void> check_fields(const FlatPlan& plan) const {
    for (size_t i = 0; i < plan.offset_bytes.size(); ++i) {
      const FlatEntry& entry = directory_.entries[i];
      const bool is_short = entry.offset_field.width_bytes == 4;
      const uint64_t most = std::min(directory_.most_offset_bytes,
                                     is_short ? entry.base_bytes + UINT32_MAX : UINT64_MAX);
      if (plan.offset_bytes[i] > most)
        return damaged({.file = bytes_->name(),
                        .expected = fmt::format("data that begin at byte {} at most", most),
                        .found = fmt::format("{}, for '{}'", plan.offset_bytes[i], entry.name)});
    }
    return {};
  }

  std::vector<ArchivePiece> pieces_of(std::span<const uint32_t> entries) const {
    std::vector<ArchivePiece> pieces;
    for (const uint32_t i : entries) {
      const FlatEntry& entry = directory_.entries[i];
      pieces.push_back({entry.offset_bytes, entry.offset_bytes + entry.size_bytes});
    }
    return pieces;
  }

  Result<void> copy(uint64_t at, uint64_t count, SequentialOutput& output) const {
    return output.append_from(*bytes_, at, count, [](std::span<const std::byte>) {});
  }

  Result<uint64_t> copy_hashed(const FlatEntry& entry, SequentialOutput& output,
                               std::atomic<uint64_t>* done_bytes) const {
    Hasher64 hasher;
    auto put = output.append_from(*bytes_, entry.offset_bytes, entry.size_bytes,
                                  [&](std::span<const std::byte> piece) {
                                    hasher.add(piece);
                                    if (done_bytes != nullptr) *done_bytes += piece.size();
                                  });
    if (!put) return std::unexpected(put.error());
    return hasher.digest();
  }

  // Copies bytes outside the data, and changes the fields with the data's offsets.
  Result<void> write_changed(uint64_t begin_bytes, uint64_t end_bytes, const FlatPlan& plan,
                             SequentialOutput& output) const {
    SKL_TRY(const auto fields, changed_fields(*bytes_, directory_, places_of(plan)));
    uint64_t at = begin_bytes;
    for (const auto& [field, value] : fields) {
      if (field.width_bytes == 0 || field.at_bytes < at || field.at_bytes >= end_bytes) continue;
      SKL_TRY_DO(copy(at, field.at_bytes - at, output));
      std::string bytes(field.width_bytes, '\0');
      std::memcpy(bytes.data(), &value, field.width_bytes);
      SKL_TRY_DO(output.append(bytes));
      at = field.at_bytes + field.width_bytes;
    }
    return copy(at, end_bytes - at, output);
  }

  static FlatPlaces places_of(const FlatPlan& plan) {
    return {plan.offset_bytes, plan.data_end_bytes};
  }

  // Returns nothing if the format only needs changed fields.
  Result<std::optional<FlatAround>> around(const FlatPlaces& places) const {
    if (directory_.format->write == nullptr) return std::nullopt;
    SKL_TRY(auto made, directory_.format->write(*bytes_, directory_, places));
    return made;
  }

  // Checks that the parts before and after the data match the data's new offsets.
  Result<void> verify_around(const ByteSource& after, const FlatDirectory& found) const {
    std::vector<uint64_t> offsets;
    for (const FlatEntry& entry : found.entries) offsets.push_back(entry.offset_bytes);
    SKL_TRY(const FlatAround made,
            directory_.format->write(*bytes_, directory_, {offsets, found.data_end_bytes}));
    const auto holds = [&](uint64_t at_bytes, const std::string& expected) -> Result<void> {
      SKL_TRY(const std::string bytes, bytes_at(after, at_bytes, expected.size()));
      if (bytes == expected) return {};
      return differs(after.name(), fmt::format("a directory of its data at byte {}", at_bytes));
    };
    if (found.data_begin_bytes != made.front.size() ||
        after.size_bytes() != found.data_end_bytes + made.back.size())
      return differs(after.name(), "data that begin and end where they were put");
    SKL_TRY_DO(holds(0, made.front));
    return holds(found.data_end_bytes, made.back);
  }

  // Checks that everything besides data is unchanged, except for the fields that were meant to
  // change.
  Result<void> verify_rest(const ByteSource& after, const FlatDirectory& found) const {
    if (directory_.format->write != nullptr) return verify_around(after, found);
    const uint64_t grown = found.data_end_bytes - directory_.data_end_bytes;
    if (found.data_begin_bytes != directory_.data_begin_bytes ||
        after.size_bytes() != bytes_->size_bytes() + grown)
      return differs(after.name(), "data that begin and end where they were put");
    std::vector<std::pair<uint64_t, uint32_t>> skipped;  // offsets in the old file, and widths
    for (const FlatEntry& entry : directory_.entries)
      skipped.push_back({entry.offset_field.at_bytes, entry.offset_field.width_bytes});
    for (const FlatField& field : directory_.moving_fields)
      skipped.push_back({field.at_bytes, field.width_bytes});
    std::ranges::sort(skipped);
    skipped.push_back({bytes_->size_bytes(), 0});
    uint64_t at = 0;
    for (const auto& [place, width] : skipped) {
      if (place < at) continue;
      const uint64_t front = std::min(place, directory_.data_begin_bytes);
      if (at < front) SKL_TRY_DO(compare(after, at, at, front - at));
      const uint64_t begin = std::max(at, directory_.data_end_bytes);
      if (begin < place) SKL_TRY_DO(compare(after, begin, begin + grown, place - begin));
      at = place + width;
    }
    return {};
  }

  Result<void> compare(const ByteSource& after, uint64_t old_at, uint64_t new_at,
                       uint64_t count) const {
    std::vector<std::byte> was(std::min(count, kPieceBytes));
    std::vector<std::byte> is(was.size());
    while (count > 0) {
      const size_t piece = std::min<uint64_t>(count, was.size());
      SKL_TRY_DO(bytes_->read_at(old_at, std::span(was).first(piece)));
      SKL_TRY_DO(after.read_at(new_at, std::span(is).first(piece)));
      if (!std::equal(was.begin(), was.begin() + static_cast<ptrdiff_t>(piece), is.begin()))
        return differs(after.name(), fmt::format("what the old archive has at byte {}", old_at));
      old_at += piece;
      new_at += piece;
      count -= piece;
    }
    return {};
  }

  // Goes through the entries in the order they lie, so that the disk reads on without seeking.
  Result<void> verify_entries(const ByteSource& after, const FlatDirectory& found,
                              const RewriteReport& report,
                              std::atomic<uint64_t>* done_bytes) const {
    std::vector<uint32_t> by_place;
    for (uint32_t i = 0; i < found.entries.size(); ++i) {
      const FlatEntry& was = directory_.entries[i];
      const FlatEntry& is = found.entries[i];
      if (was.name != is.name || was.size_bytes != is.size_bytes ||
          (is.size_bytes > 0 && is.offset_bytes % directory_.alignment_bytes != 0))
        return differs(after.name(), fmt::format("entry '{}', as it was", was.name));
      if (is.size_bytes > 0) by_place.push_back(i);
    }
    std::ranges::sort(by_place, {}, [&](uint32_t i) { return found.entries[i].offset_bytes; });
    uint64_t done = 0;
    uint64_t digest = 0;
    const FlatEntry* last = nullptr;
    for (const uint32_t i : by_place) {
      const FlatEntry& entry = found.entries[i];
      const bool is_shared = last != nullptr && last->offset_bytes == entry.offset_bytes &&
                             last->size_bytes == entry.size_bytes;
      last = &entry;
      if (!is_shared) {
        Hasher64 hasher;
        SKL_TRY_DO(add_range(hasher, after, entry.offset_bytes, entry.size_bytes));
        digest = hasher.digest();
        done += entry.size_bytes;
        if (done_bytes != nullptr) *done_bytes += entry.size_bytes;
      }
      if (digest != report.hashes[i])
        return differs(after.name(), fmt::format("the data of entry '{}'", entry.name));
    }
    if (done_bytes != nullptr) *done_bytes += report.file_bytes - done;
    return {};
  }

  // Entries may share data, which was copied only once, so the others get that entry's hash.
  void share_hashes(std::vector<uint64_t>& hashes) const {
    std::map<std::pair<uint64_t, uint64_t>, uint64_t> known;
    const auto stretch = [this](size_t i) {
      return std::pair(directory_.entries[i].offset_bytes, directory_.entries[i].size_bytes);
    };
    for (size_t i = 0; i < hashes.size(); ++i)
      if (hashes[i] != 0) known[stretch(i)] = hashes[i];
    for (size_t i = 0; i < hashes.size(); ++i)
      if (const auto found = known.find(stretch(i)); found != known.end())
        hashes[i] = found->second;
  }

  uint64_t data_bytes(std::span<const uint32_t> entries) const {
    uint64_t bytes = 0;
    for (const uint32_t entry : entries) bytes += directory_.entries[entry].size_bytes;
    return bytes;
  }

  const std::shared_ptr<const ByteSource> bytes_;
  const FlatDirectory directory_;
  bool is_fetched_ = false;  // the whole archive, by prepare()
};

}  // namespace

Result<std::unique_ptr<ArchiveRewriter>> open_flat_rewriter(
    std::shared_ptr<const ByteSource> bytes) {
  SKL_TRY(auto directory, read_flat_directory(*bytes));
  if (!directory)
    return damaged({.file = bytes->name(),
                    .expected = "an archive",
                    .found = "something else",
                    .advice = "it changed since it was scanned; run this again"});
  return std::make_unique<FlatRewriter>(std::move(bytes), *std::move(directory));
}

}  // namespace seekless
