#include "integration/runtime/sweeping.h"

#include <chrono>
#include <cstring>
#include <unordered_map>

namespace seekless {
namespace {

using Clock = std::chrono::steady_clock;

// Parts of an asset come in order, but others may come between them, so each has a hasher.
class Checker {
 public:
  Checker(const skl::Context& context, Swept& swept) : context_(context), swept_(swept) {}

  void take(const skl::Lease& lease) {
    auto [at, is_new] = hashers_.try_emplace(lease.asset(), std::nullopt);
    if (is_new || lease.offset_bytes() == 0) {
      auto made = skl::Hasher::create();
      if (!made) return;
      at->second = *std::move(made);
    }
    at->second->update(lease.bytes());
    if (!lease.is_last()) return;
    finish(lease.asset(), at->second->finish());
    hashers_.erase(at);
  }

 private:
  void finish(skl_asset asset, const skl_hash& found) {
    const auto path = context_.path(asset);
    const auto expected = context_.hash(asset);
    const bool is_right =
        expected && std::memcmp(expected->bytes, found.bytes, sizeof found.bytes) == 0;
    (is_right ? swept_.arrived : swept_.wrong).push_back(path.value_or("?"));
  }

  const skl::Context& context_;
  Swept& swept_;
  std::unordered_map<skl_asset, std::optional<skl::Hasher>> hashers_;
};

}  // namespace

skl::Result<Swept> sweep_scenario(skl::Context& context, const std::string& scenario, bool check) {
  Swept swept;
  const auto began = Clock::now();
  auto sweep = context.sweep(scenario);
  if (!sweep) return std::unexpected(sweep.error());
  Checker checker(context, swept);
  for (;;) {
    const auto step = sweep->wait(std::chrono::milliseconds(100));
    if (!step) {
      const skl_result result = step.error().result;
      if (result != SKL_DAMAGED && result != SKL_IO) return std::unexpected(step.error());
      swept.failures.push_back(step.error().message);
      continue;
    }
    if (step->answer == SKL_END) break;
    if (step->answer == SKL_WOULD_BLOCK) {
      ++swept.blocked;
      continue;
    }
    swept.bytes += step->lease.bytes().size();
    if (step->lease.is_last()) ++swept.assets;
    if (check) checker.take(step->lease);
  }
  swept.seconds = std::chrono::duration<double>(Clock::now() - began).count();
  return swept;
}

}  // namespace seekless
