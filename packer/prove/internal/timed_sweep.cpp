#include "packer/prove/internal/timed_sweep.h"

#include <chrono>
#include <memory>
#include <unordered_set>
#include <vector>

#include "packer/host/interrupt.h"
#include "runtime/include/seekless.h"

namespace seekless {
namespace {

constexpr uint32_t kLookUpMs = 200;  // how often a long wait looks for Ctrl-C
constexpr size_t kAskedPieceBytes = size_t{4} << 20;

struct DestroyContext {
  void operator()(skl_context* context) const { skl_context_destroy(context); }
};
struct CloseSweep {
  void operator()(skl_sweep* sweep) const { skl_sweep_close(sweep); }
};

skl_error no_error() {
  skl_error error = {};
  error.struct_bytes = sizeof(error);
  return error;
}

std::unexpected<Error> sweep_error(const std::string& folder, const skl_error& error) {
  return failed({.file = folder, .found = error.message});
}

// Sweeps the scenario, and returns the assets that the sweep delivered.
Result<std::unordered_set<skl_asset>> sweep(skl_context* context, const std::string& folder,
                                            const std::string& scenario) {
  skl_error error = no_error();
  skl_sweep* opened = nullptr;
  if (skl_sweep_open(context, scenario.c_str(), &opened, &error) != SKL_OK)
    return sweep_error(folder, error);
  const std::unique_ptr<skl_sweep, CloseSweep> sweep(opened);
  std::unordered_set<skl_asset> came;
  for (;;) {
    if (is_interrupted())
      return failed({.file = folder, .found = "the run interrupted", .advice = "run it again"});
    skl_lease lease = {};
    const skl_result result = skl_sweep_wait(sweep.get(), kLookUpMs, &lease, &error);
    if (result == SKL_END) return came;
    if (result == SKL_WOULD_BLOCK) continue;
    if (result != SKL_OK) return sweep_error(folder, error);
    came.insert(lease.asset);
    skl_lease_release(&lease);
  }
}

Result<void> read_asset_away(skl_context* context, const std::string& folder, skl_asset asset,
                             uint64_t size_bytes, std::vector<std::byte>& buffer) {
  for (uint64_t at = 0; at < size_bytes;) {
    skl_error error = no_error();
    size_t got = 0;
    if (skl_read(context, asset, at, buffer.data(), buffer.size(), &got, &error) != SKL_OK)
      return sweep_error(folder, error);
    if (got == 0) return {};
    at += got;
  }
  return {};
}

}  // namespace

Result<double> time_sweep(const std::string& folder, const std::string& scenario,
                          std::span<const std::string> assets) {
  const auto begin = std::chrono::steady_clock::now();
  skl_error error = no_error();
  // Sweeps as on a rotating disk, even if the runtime would detect another kind of drive here.
  skl_context_options options = {};
  options.struct_bytes = sizeof(options);
  options.media = SKL_MEDIA_ROTATIONAL;
  skl_context* created = nullptr;
  if (skl_context_create(&options, &created, &error) != SKL_OK) return sweep_error(folder, error);
  const std::unique_ptr<skl_context, DestroyContext> context(created);
  if (skl_mount(created, folder.c_str(), nullptr, nullptr, &error) != SKL_OK)
    return sweep_error(folder, error);
  SKL_TRY(const auto came, sweep(created, folder, scenario));
  std::vector<std::byte> buffer(kAskedPieceBytes);
  for (const std::string& path : assets) {
    skl_asset asset = 0;
    uint64_t size_bytes = 0;
    if (skl_find(created, path.c_str(), &asset, &size_bytes) != SKL_OK || came.contains(asset))
      continue;
    SKL_TRY_DO(read_asset_away(created, folder, asset, size_bytes, buffer));
  }
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace seekless
