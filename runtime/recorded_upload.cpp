#include "runtime/recorded_upload.h"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "runtime/catalog.h"
#include "runtime/upload_format.h"

namespace seekless::runtime {
namespace {

// Maximum size of the block about the drive, reserved from the allowance at the start.
constexpr uint64_t kDriveBytes = sizeof(fleet::Block) + 5 * varint::kLongestBytes;

class RecordedUpload final : public RecordedForm {
 public:
  RecordedUpload(std::unique_ptr<OutputFile>&& file, MountPointer&& mount, skl_mount_id id,
                 const UploadRules& rules, skl_context* context)
      : file_(std::move(file)),
        mount_(std::move(mount)),
        catalog_(*mount_->pack_set()->catalog()),
        id_(id),
        left_bytes_(rules.most_bytes),
        context_(context),
        is_read_(catalog_.assets().size()) {}

  // Records the first read of each asset, if a scenario is marked and the asset is in the recorded
  // set.
  Result<void> add(const RecordedEvent& event) override {
    const auto number = static_cast<uint32_t>(event.asset);
    if (scenario_ == kNone || event.kind != RecordedEvent::Kind::read || event.asset >> 32 != id_ ||
        number >= is_read_.size() || is_read_[number] != 0)
      return {};
    if (used_bytes_ == 0) begin_block();
    is_read_[number] = 1;
    const int64_t at = place_of(number);
    put(varint::zigzag(at - expected_));
    expected_ = at + 1;
    ++rank_;
    return used_bytes_ + varint::kLongestBytes > payload_.size() ? end_block() : Result<void>();
  }

  Result<void> mark(const std::string& scenario, int64_t) override {
    auto ended = end_block();
    begin_run(scenario);
    return ended;
  }

  // There is nothing to flush, because blocks are written as soon as they end.
  size_t unwritten_bytes() const override { return 0; }

  Result<void> write(bool is_last) override {
    if (!is_last) return {};
    if (auto ended = end_block(); !ended) return ended;
    return add_drive();
  }

  Result<void> begin(const UploadRules& rules) {
    begin_run(rules.scenario);
    const fleet::Header header =
        fleet::header_of({.asset_count = first_place_of(catalog_.packs().size()),
                          .catalog_id = catalog_.header().checksum,
                          .scenario_count = static_cast<uint32_t>(catalog_.scenarios().size()),
                          .day = rules.day,
                          .client = rules.client});
    left_bytes_ -= std::min<uint64_t>(left_bytes_, sizeof(header) + kDriveBytes);
    return file_->append(std::as_bytes(std::span(&header, 1)));
  }

 private:
  static constexpr uint32_t kNone = UINT32_MAX;

  // Computed at each call, because a set has a few hundred packs at most, and a run asks once per
  // asset. A table would make the library a page larger.
  uint32_t first_place_of(size_t pack) const {
    uint32_t places = 0;
    for (const format::CatalogPack& before : catalog_.packs().first(pack))
      places += before.asset_count;
    return places;
  }

  int64_t place_of(uint32_t number) const {
    const format::Place place = catalog_.places(catalog_.assets()[number]).front();
    return int64_t{first_place_of(place.pack)} + place.asset;
  }

  // Scenarios that the set doesn't have aren't recorded.
  void begin_run(std::string_view name) {
    const format::Scenario* found = name.empty() ? nullptr : catalog_.find_scenario(name);
    scenario_ =
        found == nullptr ? kNone : static_cast<uint32_t>(found - catalog_.scenarios().data());
    if (rank_ > 0) ++run_;
    rank_ = 0;
    std::ranges::fill(is_read_, 0);
  }

  void put(uint64_t number) {
    std::byte* const to = payload_.data() + used_bytes_;
    used_bytes_ += static_cast<size_t>(varint::put(to, number) - to);
  }

  void begin_block() {
    put(scenario_);
    put(run_);
    put(rank_);
    expected_ = 0;
  }

  // After a block that exceeds the allowance, no further block is written. So the latest run may be
  // incomplete, as if the game had been killed.
  Result<void> end_block() {
    const uint64_t bytes = sizeof(fleet::Block) + used_bytes_;
    if (bytes > left_bytes_) left_bytes_ = used_bytes_ = 0;
    if (used_bytes_ == 0) return {};
    left_bytes_ -= bytes;
    return write_block(fleet::kReadsBlock);
  }

  Result<void> write_block(uint32_t kind) {
    const auto payload = std::span<const std::byte>(payload_).first(std::exchange(used_bytes_, 0));
    const fleet::Block block = fleet::block_of(payload, blocks_++, kind);
    auto written = file_->append(std::as_bytes(std::span(&block, 1)));
    return written ? file_->append(payload) : std::move(written);
  }

  Result<void> add_drive() {
    skl_stats stats = {};
    stats.struct_bytes = sizeof(stats);
    skl_stats_get(context_, &stats);
    if (stats.reads == 0) return {};
    put(stats.media);
    put(stats.median_jump_us);
    put(stats.reads);
    put(stats.seeks);
    put(stats.read_bytes);
    return write_block(fleet::kDriveBlock);
  }

  const std::unique_ptr<OutputFile> file_;
  const MountPointer mount_;
  const Catalog& catalog_;
  const skl_mount_id id_;
  uint64_t left_bytes_;  // bytes still allowed for blocks of reads
  skl_context* const context_;

  std::vector<char> is_read_;  // for each asset of the set: true if this run has read it
  uint32_t scenario_ = kNone;
  uint32_t run_ = 0;
  uint32_t rank_ = 0;
  int64_t expected_ = 0;
  std::array<std::byte, fleet::kMostPayloadBytes> payload_;  // payload of the current block
  size_t used_bytes_ = 0;
  uint32_t blocks_ = 0;
};

}  // namespace

Result<std::unique_ptr<RecordedForm>> make_recorded_upload(std::unique_ptr<OutputFile> file,
                                                           MountPointer mount, skl_mount_id id,
                                                           const UploadRules& rules,
                                                           skl_context* context) {
  auto form =
      std::make_unique<RecordedUpload>(std::move(file), std::move(mount), id, rules, context);
  if (auto written = form->begin(rules); !written)
    return std::unexpected(std::move(written.error()));
  return form;
}

}  // namespace seekless::runtime
