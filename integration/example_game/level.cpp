#include "level.h"

#include <array>
#include <unordered_map>

namespace game {
namespace {

constexpr std::chrono::milliseconds kFrame{16};

Progress progress_of(const skl::Sweep& sweep, const AssetStore& store) {
  const skl_progress found = sweep.progress();
  const double total = static_cast<double>(found.total_bytes);
  return {.share = total > 0 ? static_cast<double>(found.read_bytes) / total : 1,
          .assets = store.count()};
}

// A sweep delivers the assets of its own mount. Another mount, such as a patch or a mod, may
// override some of their paths.
class Overlays {
 public:
  Overlays(const skl::Context& context, LoadReport& report) : context_(context), report_(report) {}

  // Called once for each asset of the sweep.
  bool is_hidden(skl_asset asset) {
    const auto known = hidden_.find(asset);
    if (known != hidden_.end()) return known->second;
    const auto path = context_.path(asset);
    if (!path) return hidden_[asset] = false;
    const auto now = context_.find(*path);
    if (!now) report_.deleted.push_back(*path);
    if (now && now->asset != asset) {
      report_.replaced.push_back(*path);
      replacements_.push_back(*now);
    }
    return hidden_[asset] = !now || now->asset != asset;
  }

  const std::vector<skl::Found>& replacements() const { return replacements_; }

 private:
  const skl::Context& context_;
  LoadReport& report_;
  std::unordered_map<skl_asset, bool> hidden_;
  std::vector<skl::Found> replacements_;
};

// Requests all replacements at once, so that they are read in the order of the disk, across mounts.
skl::Result<void> load_replacements(skl::Context& context, const std::vector<skl::Found>& found,
                                    AssetStore& store, LoadReport& report) {
  std::unordered_map<skl_asset, std::vector<std::byte>> loading;  // outlives the queue's requests
  auto queue = context.queue();
  if (!queue) return std::unexpected(queue.error());
  std::vector<skl::Request> requests;
  for (const skl::Found& each : found) {
    auto& bytes = loading[each.asset];
    bytes.resize(each.size_bytes);
    requests.emplace_back(each.asset, bytes);
  }
  std::array<skl::Completion, 64> done;
  for (std::span<const skl::Request> left = requests;;) {
    const auto accepted = queue->submit(left);  // fewer than all if the queue is full
    if (!accepted) return std::unexpected(accepted.error());
    left = left.subspan(*accepted);
    const skl::Polled polled = queue->wait(done);
    for (const skl::Completion& completion : polled.completions) {
      if (completion.result() == SKL_OK)
        store.put(completion.asset(), std::move(loading[completion.asset()]));
      else
        report.failed.push_back(context.path(completion.asset()).value_or("?"));
    }
    if (polled.answer == SKL_END && left.empty()) return {};
    if (polled.answer < 0) return std::unexpected(skl::Error{polled.answer, 0, 0, "the queue"});
  }
}

}  // namespace

skl::Result<LoadReport> load_level(skl::Context& context, const char* map, const char* wanted,
                                   AssetStore& store,
                                   const std::function<void(const Progress&)>& frame) {
  LoadReport report;
  auto sweep = context.sweep(map);
  if (!sweep) return std::unexpected(sweep.error());
  Overlays overlays(context, report);
  std::optional<skl::Found> urgent;
  for (;;) {
    auto step = sweep->wait(kFrame);
    const Progress progress = progress_of(*sweep, store);
    frame(progress);
    if (!step) {
      // The contents of one block are damaged, or can't be read. The message names them; other
      // assets still arrive.
      if (step.error().result != SKL_DAMAGED && step.error().result != SKL_IO)
        return std::unexpected(step.error());
      report.failed.push_back(step.error().message);
      continue;
    }
    if (step->answer == SKL_END) break;
    if (step->answer == SKL_WOULD_BLOCK) continue;  // draw another frame
    const skl_asset asset = step->lease.asset();
    if (overlays.is_hidden(asset)) continue;
    if (!store.take(std::move(step->lease))) continue;
    ++report.swept;
    if (urgent && urgent->asset == asset && report.wanted_after < 0)
      report.wanted_after = static_cast<int64_t>(report.swept) - 1;
    if (wanted != nullptr && !urgent && progress.share >= 0.25 && (urgent = context.find(wanted)))
      if (const auto answer = sweep->want(urgent->asset); !answer)
        report.failed.push_back(answer.error().message);
  }
  if (auto loaded = load_replacements(context, overlays.replacements(), store, report); !loaded)
    return std::unexpected(loaded.error());
  return report;
}

}  // namespace game
