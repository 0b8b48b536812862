// The packs of one mount: a pack set with its catalog, or a single pack. A set's packs are opened
// when they are first needed, since opening one costs a seek.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/catalog.h"
#include "runtime/error.h"
#include "runtime/file_io.h"
#include "runtime/pack.h"

namespace seekless::runtime {

// An asset as it lies in a pack.
struct PlacedAsset {
  const Pack* pack = nullptr;
  uint32_t index = 0;
  const format::Asset& record() const { return pack->assets()[index]; }
};

// In a set's folder: packs that are on their way to their places. A new set's catalog is put in
// place first, in one step, and its packs follow; so whoever opens the set at any time, even after
// the writer was killed in the midst, has either all of the old set or all of the new one.
inline constexpr const char* kNewPacksFolder = ".seekless-new";

// Where the pack of this name and id lies now: in its place, or on its way there. If it is nowhere,
// its place.
std::string path_of_pack(const FileIo& io, const std::string& folder, const std::string& name,
                         uint64_t pack_id);

class PackSet {
 public:
  // `path` is a set's folder, its catalog, or a single pack.
  static Result<std::unique_ptr<PackSet>> open(const FileIo& io, const std::string& path,
                                               const Memory& memory = {});
  ~PackSet();
  PackSet(const PackSet&) = delete;
  PackSet& operator=(const PackSet&) = delete;

  const Catalog* catalog() const { return catalog_.get(); }  // null for a single pack
  uint64_t hash_seed() const { return hash_seed_; }
  bool folds_case() const { return folds_case_; }
  size_t asset_count() const;
  size_t pack_count() const { return packs_.size(); }

  // The number of the asset with this path hash in the set, or kEmptySlot.
  uint32_t find(uint64_t path_hash) const;
  uint64_t size_bytes(uint32_t asset) const;
  uint64_t path_hash(uint32_t asset) const;
  // Calls `visit` for every asset, once, with its number and path. Opens all packs.
  Result<void> for_each_path(
      const std::function<Result<void>(uint32_t, const std::string&)>& visit) const;
  // Where the asset is read from: the place that the scenario's sweep reads, else its first one.
  // Opens that pack if need be.
  Result<PlacedAsset> place(uint32_t asset) const;
  // Which scenario is being loaded: one of the catalog's, or null. The latest word counts.
  void set_scenario(const format::Scenario* scenario) const {
    scenario_.store(scenario, std::memory_order_relaxed);
  }
  // The number in the set of an asset of a pack.
  uint32_t number_of(const PlacedAsset& asset) const;
  // Opens it on first use, and checks that it is the one the catalog was made with.
  Result<const Pack*> pack(uint32_t number) const;
  bool is_open(uint32_t number) const {
    return packs_[number].load(std::memory_order_acquire) != nullptr;
  }
  // Opens its file, which costs no seek, so that pack() can open it later even if another set has
  // taken this one's place by then. Where the file isn't as the catalog says, opens the pack.
  Result<void> hold(uint32_t number) const;
  // The place of the asset that the scenario's sweep reads, if it reads the asset.
  std::optional<format::Place> needed_place(uint32_t asset, const format::Scenario& scenario) const;
  // Whether a sweep of it brings the asset. Null: all of a single pack.
  bool is_swept(uint32_t asset, const format::Scenario* scenario) const {
    return scenario == nullptr ? asset < asset_count() : needed_place(asset, *scenario).has_value();
  }

 private:
  PackSet(const FileIo& io, std::string folder, const Memory& memory)
      : io_(io), folder_(std::move(folder)), memory_(memory) {}
  Result<std::unique_ptr<Pack>> open_pack(Result<std::unique_ptr<File>> file,
                                          const format::CatalogPack& expected) const;
  Result<std::unique_ptr<Pack>> open_pack(uint32_t number) const;
  std::string path_of(const format::CatalogPack& pack) const;
  bool is_first_place(uint32_t asset, const format::Place& place) const;

  const FileIo& io_;
  std::string folder_;
  Memory memory_;
  std::unique_ptr<Catalog> catalog_;
  mutable std::vector<std::atomic<Pack*>> packs_;  // owned; null until opened
  mutable std::atomic<const format::Scenario*> scenario_ = nullptr;
  uint64_t hash_seed_ = 0;
  bool folds_case_ = false;
  mutable std::vector<std::atomic<File*>> files_;  // owned; of packs that are held, until opened
};

}  // namespace seekless::runtime
