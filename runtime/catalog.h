// The catalog of a pack set: its packs, the place of each path, and what each scenario's sweep
// reads. The file is untrusted, like a pack; Catalog::open returns only a catalog whose references
// are all in range.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "runtime/error.h"
#include "runtime/file_io.h"
#include "runtime/pack_format.h"
#include "runtime/tables.h"

namespace seekless::runtime {

inline constexpr const char* kCatalogName = "catalog.skl";
// Returns the name of the typical scenario in the scenario's folder ("map/typical" for "map/rush"),
// which has the assets that most maps need. Readers use it if no set has the scenario. For a
// typical scenario, returns its own name.
std::string typical_of(std::string_view scenario);

size_t asset_count(std::span<const format::Need> needs);

class Catalog {
 public:
  static Result<std::unique_ptr<Catalog>> open(const File& file, const Memory& memory = {});

  const format::Header& header() const { return header_; }
  bool folds_case() const { return (header_.required_flags & format::kFoldCase) != 0; }
  std::span<const format::CatalogPack> packs() const { return packs_; }
  std::span<const format::CatalogAsset> assets() const { return assets_; }
  std::span<const format::Scenario> scenarios() const { return scenarios_; }
  std::string_view name(const format::CatalogPack& pack) const;
  std::string_view name(const format::Scenario& scenario) const;
  std::span<const format::Place> places(const format::CatalogAsset& asset) const;
  std::span<const format::Range> ranges(const format::Scenario& scenario) const;
  std::span<const format::Need> needs(const format::Scenario& scenario) const;

  // Returns the index of the asset with this path hash, or kEmptySlot.
  uint32_t find(uint64_t path_hash) const;
  const format::Scenario* find_scenario(std::string_view name) const;
  const format::Scenario* find_scenario_or_typical(std::string_view name) const;

 private:
  Catalog() = default;
  Result<void> load(const File& file, const Memory& from);
  Result<void> check(const File& file) const;
  Result<void> check_names(const File& file) const;

  format::Header header_;
  TableMemory memory_;
  std::span<const format::CatalogPack> packs_;
  std::span<const format::Slot> slots_;
  std::span<const format::CatalogAsset> assets_;
  std::span<const format::Place> places_;
  std::span<const format::Scenario> scenarios_;
  std::span<const format::Range> ranges_;
  std::span<const format::Need> needs_;
  std::string_view strings_;
};

}  // namespace seekless::runtime
