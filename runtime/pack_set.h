// The packs of one mount: a pack set with its catalog, or a single pack. A set's packs are opened
// when they are first needed, because opening one costs a seek.
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

// An asset's place in a pack.
struct PlacedAsset {
  const Pack* pack = nullptr;
  uint32_t index = 0;
  const format::Asset& record() const { return pack->assets()[index]; }
};

// The folder inside a set's folder for new packs. An update first replaces the catalog, in one
// step, and then moves the new packs into the set's folder. So a reader that opens the set at any
// time, even after the writer was killed in the middle, gets either the whole old set or the whole
// new one.
inline constexpr const char* kNewPacksFolder = ".seekless-new";

// Returns the current path of the pack with this name and id: in the set's folder, or in the folder
// for new packs. If it is in neither, returns the former.
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

  // Returns the number in the set of the asset with this path hash, or kEmptySlot.
  uint32_t find(uint64_t path_hash) const;
  uint64_t size_bytes(uint32_t asset) const;
  uint64_t path_hash(uint32_t asset) const;
  // Calls `visit` once for every asset, with its number and path. Opens all packs.
  Result<void> for_each_path(
      const std::function<Result<void>(uint32_t, const std::string&)>& visit) const;
  // Returns the place to read the asset from: the one that the scenario's sweep reads, or else its
  // first place. Opens that pack if necessary.
  Result<PlacedAsset> place(uint32_t asset) const;
  // Sets the scenario that is being loaded: one of the catalog's, or null. The latest call wins.
  void set_scenario(const format::Scenario* scenario) const {
    scenario_.store(scenario, std::memory_order_relaxed);
  }
  // Returns the number in the set of an asset in a pack.
  uint32_t number_of(const PlacedAsset& asset) const;
  // Opens the pack on first use, and checks that the catalog was made with it.
  Result<const Pack*> pack(uint32_t number) const;
  bool is_open(uint32_t number) const {
    return packs_[number].load(std::memory_order_acquire) != nullptr;
  }
  // Opens the pack's file, which costs no seek, so that pack() can open the pack later even if an
  // update has replaced the set. If the file doesn't match the catalog, opens the pack at once.
  Result<void> hold(uint32_t number) const;
  // Returns the asset's place that the scenario's sweep reads, if it reads the asset.
  std::optional<format::Place> needed_place(uint32_t asset, const format::Scenario& scenario) const;
  // Returns true if a sweep of the scenario delivers the asset. Null means all of a single pack.
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
  mutable std::vector<std::atomic<Pack*>> packs_;  // owned; null until a pack is opened
  mutable std::atomic<const format::Scenario*> scenario_ = nullptr;
  uint64_t hash_seed_ = 0;
  bool folds_case_ = false;
  // Owned; the held files of packs that aren't open yet.
  mutable std::vector<std::atomic<File*>> files_;
};

}  // namespace seekless::runtime
