// Reads an upload. Every number is checked before it is used. Reading ends at a block that doesn't
// match its checksum, because the start of the next block is then unknown.
#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "packer/fleet/upload.h"
#include "runtime/upload_format.h"

namespace seekless {
namespace {

std::unexpected<Error> wrong(const std::string& name, const std::string& expected,
                             const std::string& found) {
  return damaged(
      {.file = name, .expected = expected, .found = found, .advice = "set the upload aside"});
}

class Bytes {
 public:
  explicit Bytes(std::span<const std::byte> left) : left_(left) {}

  template <typename T>
  std::optional<T> take() {
    if (left_.size() < sizeof(T)) return std::nullopt;
    T value;
    std::memcpy(&value, left_.data(), sizeof(T));
    left_ = left_.subspan(sizeof(T));
    return value;
  }
  std::optional<std::span<const std::byte>> take_bytes(size_t count) {
    if (left_.size() < count) return std::nullopt;
    const auto taken = left_.first(count);
    left_ = left_.subspan(count);
    return taken;
  }
  std::optional<uint64_t> take_varint() {
    uint64_t value = 0;
    const std::byte* begin = left_.data();
    const std::byte* next = varint::take(begin, begin + left_.size(), value);
    if (next == nullptr) return std::nullopt;
    left_ = left_.subspan(static_cast<size_t>(next - begin));
    return value;
  }
  bool is_empty() const { return left_.empty(); }

 private:
  std::span<const std::byte> left_;
};

Result<Upload> read_header(Bytes& bytes, const std::string& name) {
  const auto header = bytes.take<fleet::Header>();
  if (!header || header->magic != fleet::kMagic)
    return wrong(name, "an upload of a fleet", "another file");
  if (header->version != fleet::kVersion || header->header_bytes != sizeof(fleet::Header))
    return wrong(name, fmt::format("version {}", fleet::kVersion),
                 fmt::format("version {}", header->version));
  if (header->checksum != fleet::checksum_of(*header))
    return wrong(name, "a header with its checksum", "another one");
  if (header->asset_count == 0 || header->scenario_count == 0 || header->reserved != 0)
    return wrong(name, "a catalog with assets and scenarios", "none");
  Upload upload;
  upload.catalog = {header->catalog_id, header->asset_count, header->scenario_count};
  upload.client = header->client;
  upload.day = header->day;
  return upload;
}

class UploadedRuns {
 public:
  explicit UploadedRuns(Upload& upload) : upload_(upload) {}

  void add(Bytes payload) {
    const auto scenario = payload.take_varint();
    const auto number = payload.take_varint();
    const auto rank = payload.take_varint();
    if (!scenario || !number || !rank || *scenario >= upload_.catalog.scenario_count) {
      ++upload_.broken_runs;
      return end();
    }
    if (!run_ || *number != number_) begin(*number, static_cast<uint32_t>(*scenario));
    is_sound_ = is_sound_ && *rank == run_->assets.size() && *scenario == run_->scenario &&
                add_assets(payload);
  }

  void end() {
    if (run_ && is_sound_ && !run_->assets.empty() && is_each_once())
      upload_.runs.push_back(*std::move(run_));
    else if (run_)
      ++upload_.broken_runs;
    run_.reset();
  }

 private:
  void begin(uint64_t number, uint32_t scenario) {
    end();
    run_ = FleetRun{.scenario = scenario, .assets = {}};
    number_ = number;
    is_sound_ = true;
  }

  bool add_assets(Bytes payload) {
    int64_t expected = 0;
    while (!payload.is_empty()) {
      const auto code = payload.take_varint();
      const int64_t limit = upload_.catalog.asset_count;
      if (!code || *code > uint64_t{UINT32_MAX} * 4) return false;
      const int64_t asset = expected + varint::unzigzag(*code);
      if (asset < 0 || asset >= limit) return false;
      if (run_->assets.size() >= upload_.catalog.asset_count) return false;
      run_->assets.push_back(static_cast<uint32_t>(asset));
      expected = asset + 1;
    }
    return true;
  }

  bool is_each_once() {
    sorted_ = run_->assets;
    std::ranges::sort(sorted_);
    return std::ranges::adjacent_find(sorted_) == sorted_.end();
  }

  Upload& upload_;
  std::optional<FleetRun> run_;
  uint64_t number_ = 0;
  bool is_sound_ = true;
  std::vector<uint32_t> sorted_;
};

std::optional<FleetDrive> read_drive(Bytes payload) {
  std::array<uint64_t, 5> values = {};
  for (uint64_t& value : values) {
    const auto taken = payload.take_varint();
    if (!taken) return std::nullopt;
    value = *taken;
  }
  constexpr uint64_t kMost = uint64_t{1} << 53;
  const bool is_sane = values[0] <= 2 && values[1] <= 60'000'000 &&
                       std::ranges::all_of(values, [](uint64_t value) { return value <= kMost; });
  if (!is_sane || values[3] > values[2]) return std::nullopt;
  return FleetDrive{static_cast<FleetMedia>(values[0]), values[1], values[2], values[3], values[4]};
}

}  // namespace

Result<Upload> read_upload(std::span<const std::byte> bytes, const std::string& name) {
  if (bytes.size() > kMostUploadBytes)
    return wrong(name, fmt::format("at most {} bytes", kMostUploadBytes),
                 fmt::format("{}", bytes.size()));
  Bytes left(bytes);
  auto upload = read_header(left, name);
  if (!upload) return upload;
  UploadedRuns runs(*upload);
  for (uint32_t number = 0; !left.is_empty(); ++number) {
    const auto block = left.take<fleet::Block>();
    const auto payload = block && block->payload_bytes <= fleet::kMostPayloadBytes
                             ? left.take_bytes(block->payload_bytes)
                             : std::nullopt;
    if (!payload || fleet::checksum_of(*payload, number, block->kind) != block->checksum) {
      upload->is_cut_off = true;
      break;
    }
    if (block->kind == fleet::kReadsBlock) {
      runs.add(Bytes(*payload));
    } else if (block->kind == fleet::kDriveBlock) {
      if (const auto drive = read_drive(Bytes(*payload))) upload->drives.push_back(*drive);
    }  // later versions may have more kinds
  }
  runs.end();
  return upload;
}

}  // namespace seekless
