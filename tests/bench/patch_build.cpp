// A build of the simplest kind, for measuring patches: content and the lock of the build before in,
// packs and a lock out; one line of JSON with the forecast.
// patch_build CONTENT OUTPUT NEW_LOCK [OLD_LOCK]
#include <cstdio>
#include <string>
#include <vector>

#include <fmt/format.h>
#define XXH_STATIC_LINKING_ONLY
#include <xxhash.h>

#include "packer/content/asset_reader.h"
#include "packer/content/asset_stream.h"
#include "packer/content/content.h"
#include "packer/layout/patch_forecast.h"
#include "packer/layout/patch_layout.h"
#include "packer/layout/planner.h"
#include "packer/pack/content_hash.h"
#include "packer/pack/pack_set_writer.h"

namespace {

using namespace seekless;

Result<std::vector<format::ContentHash>> hash_content(const Content& content) {
  ContentReader reader(content.sources);
  std::vector<format::ContentHash> hashes;
  std::vector<std::byte> buffer(size_t{1} << 18);
  for (const Asset& asset : content.assets) {
    auto stream = reader.open({asset.path, asset.place.source, asset.place.entry,
                               asset.place.size_bytes, asset.place.crc32});
    if (!stream) return std::unexpected(stream.error());
    XXH3_state_t state;
    XXH3_128bits_reset(&state);
    for (uint64_t left = asset.place.size_bytes; left > 0;) {
      const auto got =
          (*stream)->read(std::span(buffer).first(std::min<uint64_t>(left, buffer.size())));
      if (!got) return std::unexpected(got.error());
      XXH3_128bits_update(&state, buffer.data(), *got);
      left -= *got;
    }
    hashes.push_back(canonical(XXH3_128bits_digest(&state)));
  }
  return hashes;
}

// Scenarios "s0" to "s3" read the files whose names end so, in the order of their names; the rest
// is cold.
Profile profile_of(const Content& content) {
  Profile profile;
  for (uint32_t scenario = 0; scenario < 4; ++scenario) {
    const std::string ending = fmt::format(".s{}", scenario);
    ProfiledScenario profiled;
    profiled.name = ending.substr(1);
    ProfiledRun run;
    run.trace = "made";
    for (const Asset& asset : content.assets) {
      if (!std::string_view(asset.path).ends_with(ending)) continue;
      run.assets.push_back(static_cast<uint32_t>(profile.assets.size()));
      profile.assets.emplace_back(asset.path);
    }
    if (run.assets.empty()) continue;
    profiled.runs.push_back(std::move(run));
    profile.scenarios.push_back(std::move(profiled));
  }
  return profile;
}

Result<void> build(const std::vector<std::string>& arguments) {
  const auto content = scan_content({arguments[0]}, {});
  if (!content) return std::unexpected(content.error());
  const auto hashes = hash_content(*content);
  if (!hashes) return std::unexpected(hashes.error());
  const HashedContent hashed(*content, *hashes);
  LayoutLock old;
  Kept kept;
  if (arguments.size() > 3) {
    auto lock = read_lock(arguments[3]);
    if (!lock) return std::unexpected(lock.error());
    old = std::move(*lock);
    kept = keep_layout(old, hashed);
  } else {
    kept.layout = place_layout(plan_layout(profile_of(*content), *content, {}).layout, hashed);
    kept.padding = padding_of(kept.layout);
  }
  const PatchForecast forecast = predict_patch(old, kept.layout, hashed);
  const auto written = write_pack_set(kept.layout, {.threads = 2}, arguments[1]);
  if (!written) return std::unexpected(written.error());
  if (auto locked = write_lock(make_lock(kept.layout, hashed), arguments[2]); !locked)
    return locked;
  fmt::print(
      "{{\"grid_bytes\": {}, \"chunk_bytes\": {}, \"edited_bytes\": {}, \"padding_bytes\": {}, "
      "\"file_bytes\": {}, \"moved\": {}, \"changed\": {}, \"added\": {}, \"removed\": {}}}\n",
      forecast.total().grid_bytes, forecast.total().chunk_bytes, forecast.edited_bytes,
      kept.padding.padding_bytes, kept.padding.file_bytes, kept.moved.size(), kept.changed.size(),
      kept.added.size(), kept.removed.size());
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments.size() < 3) return 2;
  const auto built = build(arguments);
  if (built) return 0;
  fmt::print(stderr, "patch_build: {}\n", built.error().message);
  return 1;
}
