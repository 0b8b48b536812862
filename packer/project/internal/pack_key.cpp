#include "packer/project/internal/pack_key.h"

#include <string_view>
#include <unordered_map>

#include <lz4.h>

#include "packer/project/internal/fingerprint.h"

namespace seekless {
namespace {

// Raise this number when the packer begins to make different bytes from the same layout.
constexpr uint32_t kPackerRevision = 1;

void add_places(const LaidPlaces& places, Fingerprint& print) {
  print.add(places.data_offset_bytes);
  print.add(places.block_raw_bytes.size());
  for (const uint32_t bytes : places.block_raw_bytes) print.add(bytes);
  for (const PlaceInPack& place : places.assets) {
    print.add(place.block);
    print.add(place.offset_bytes);
  }
}

}  // namespace

uint64_t pack_key(const Layout& layout, const LaidPack& pack, format::Codec codec,
                  uint64_t hash_seed,
                  const std::function<const format::ContentHash&(const LaidAsset&)>& hash_of) {
  Fingerprint print;
  print.add(kPackerRevision);
  print.add(format::kMajor);
  print.add(format::kMinor);
  print.add(LZ4_versionNumber());
  print.add(layout.block_bytes);
  print.add(layout.fold_case);
  print.add(codec);
  print.add(hash_seed);
  print.add(pack.assets.size());
  // A pack doesn't depend on the numbers of the sets, only on where another set begins.
  std::unordered_map<uint32_t, uint32_t> sets;
  for (const LaidAsset& asset : pack.assets) {
    print.add(std::string_view(asset.path));
    print.add(asset.size_bytes);
    print.add(asset.alignment_bytes);
    print.add(sets.try_emplace(asset.scenario_set, sets.size()).first->second);
    const format::ContentHash& hash = hash_of(asset);
    print.add(std::string_view(reinterpret_cast<const char*>(hash.data()), hash.size()));
  }
  print.add(pack.pack_id.value_or(0));
  print.add(pack.places.has_value());
  if (pack.places) add_places(*pack.places, print);
  return print.value();
}

}  // namespace seekless
