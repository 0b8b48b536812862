#include "packer/pack/catalog_writer.h"

#include <algorithm>
#include <span>
#include <string_view>
#include <utility>

#include "packer/host/files.h"
#include "packer/host/pending_file.h"
#include "packer/pack/internal/tables.h"
#include "runtime/asset_path.h"

namespace seekless {
namespace {

// Returns the assets' numbers in each pack's file, indexed as in the layout.
std::vector<std::vector<uint32_t>> numbers_in_files(const std::vector<WrittenPack>& packs) {
  std::vector<std::vector<uint32_t>> numbers;
  for (const WrittenPack& pack : packs) {
    auto& of_pack = numbers.emplace_back(pack.numbers);
    if (!of_pack.empty()) continue;
    of_pack.resize(pack.placement.order.size());
    for (uint32_t number = 0; number < of_pack.size(); ++number)
      of_pack[pack.placement.order[number]] = number;
  }
  return numbers;
}

template <typename Record>
uint64_t bytes_of(const std::vector<Record>& records) {
  return records.size() * sizeof(Record);
}

class CatalogBuilder {
 public:
  CatalogBuilder(const Layout& layout, const std::vector<WrittenPack>& packs, uint64_t hash_seed)
      : layout_(layout), packs_(packs), hash_seed_(hash_seed), numbers_(numbers_in_files(packs)) {}

  Result<TableFile> build() {
    add_packs();
    add_assets();
    const auto needs = needs_by_scenario();
    for (uint32_t i = 0; i < layout_.scenarios.size(); ++i) add_scenario(i, needs[i]);
    TableFile tables(format::FileKind::catalog);
    tables.header().hash_seed = hash_seed_;
    tables.header().required_flags =
        format::kNeedRuns | (layout_.fold_case ? format::kFoldCase : 0);
    std::vector<uint64_t> hashes;
    hashes.reserve(assets_.size());
    for (const format::CatalogAsset& asset : assets_) {
      hashes.push_back(asset.path_hash);
      tables.header().data_bytes += asset.size_bytes;
    }
    SKL_TRY(const auto slots, build_slots(hashes));
    tables.reserve(sizeof(format::Header) + section_bytes(bytes_of(pack_records_)) +
                   section_bytes(bytes_of(slots)) + section_bytes(bytes_of(assets_)) +
                   section_bytes(bytes_of(places_)) + section_bytes(bytes_of(scenarios_)) +
                   section_bytes(bytes_of(ranges_)) + section_bytes(bytes_of(needs_)) +
                   section_bytes(strings_.size()));
    tables.add(std::span<const format::CatalogPack>(pack_records_));
    tables.add(std::span(slots));
    tables.add(std::span<const format::CatalogAsset>(assets_));
    tables.add(std::span<const format::Place>(places_));
    tables.add(std::span<const format::Scenario>(scenarios_));
    tables.add(std::span<const format::Range>(ranges_));
    tables.add(std::span<const format::Need>(needs_));
    tables.add(std::span<const char>(strings_));
    tables.header().file_bytes = tables.size_bytes();
    return tables;
  }

 private:
  uint32_t add_string(std::string_view text) {
    const auto offset = static_cast<uint32_t>(strings_.size());
    strings_ += text;
    return offset;
  }

  void add_packs() {
    for (size_t i = 0; i < packs_.size(); ++i) {
      const WrittenPack& pack = packs_[i];
      pack_records_.push_back(
          {pack.pack_id, pack.file_bytes, add_string(pack.file_name),
           static_cast<uint32_t>(pack.file_name.size()),
           static_cast<format::PackKind>(static_cast<uint32_t>(layout_.packs[i].kind) + 1),
           pack.numbers.empty() ? static_cast<uint32_t>(pack.placement.order.size())
                                : pack.file_assets});
    }
  }

  // Adds one record for each path, with its copies in the order of the packs.
  void add_assets() {
    struct CopyRecord {
      uint64_t hash;
      format::Place place;
      uint64_t size_bytes;
    };
    std::vector<CopyRecord> copies;
    size_t count = 0;
    for (const WrittenPack& pack : packs_) count += pack.placement.order.size();
    copies.reserve(count);
    for (uint32_t pack = 0; pack < packs_.size(); ++pack)
      for (size_t i = 0; i < layout_.packs[pack].assets.size(); ++i) {
        const LaidAsset& asset = layout_.packs[pack].assets[i];
        copies.push_back({hash_asset_path(asset.path, hash_seed_, layout_.fold_case),
                          {pack, numbers_[pack][i]},
                          asset.size_bytes});
      }
    std::ranges::stable_sort(copies, {}, &CopyRecord::hash);
    assets_.reserve(count);
    places_.reserve(count);
    for (const CopyRecord& copy : copies) {
      if (assets_.empty() || assets_.back().path_hash != copy.hash)
        assets_.push_back({copy.hash, copy.size_bytes, static_cast<uint32_t>(places_.size()), 0});
      ++assets_.back().place_count;
      places_.push_back(copy.place);
    }
  }

  // Returns the ranges that each scenario reads, in the order of the packs, indexed as in the
  // layout. It goes through the packs only once, because there can be ten thousand of them, and as
  // many scenarios.
  std::vector<std::vector<format::Place>> needs_by_scenario() const {
    std::vector<std::vector<format::Place>> needs(layout_.scenarios.size());
    for (uint32_t pack = 0; pack < packs_.size(); ++pack) {
      for (const uint32_t index : packs_[pack].placement.order) {
        const LaidAsset& asset = layout_.packs[pack].assets[index];
        for (const uint32_t reader : layout_.scenario_sets[asset.scenario_set])
          needs[reader].push_back({pack, index});
      }
    }
    return needs;
  }

  void add_scenario(uint32_t scenario, const std::vector<format::Place>& needs) {
    const std::string& name = layout_.scenarios[scenario].name;
    format::Scenario record = {.name_offset = add_string(name),
                               .name_bytes = static_cast<uint32_t>(name.size()),
                               .first_range = static_cast<uint32_t>(ranges_.size()),
                               .first_need = static_cast<uint32_t>(needs_.size())};
    for (const format::Place& need : needs) {
      const uint32_t index = need.asset;
      const LaidAsset& asset = layout_.packs[need.pack].assets[index];
      record.needed_bytes += asset.size_bytes;
      if (asset.size_bytes > 0)
        add_blocks(need.pack, asset, packs_[need.pack].placement.places[index], record.first_range);
      add_need(need.pack, numbers_[need.pack][index], record.first_need);
    }
    record.range_count = static_cast<uint32_t>(ranges_.size()) - record.first_range;
    record.need_count = static_cast<uint32_t>(needs_.size()) - record.first_need;
    scenarios_.push_back(record);
  }

  void add_need(uint32_t pack, uint32_t number, size_t first_need) {
    if (needs_.size() > first_need) {
      format::Need& last = needs_.back();
      if (last.pack == pack && last.first_asset + last.asset_count == number) {
        ++last.asset_count;
        return;
      }
    }
    needs_.push_back({pack, number, 1});
  }

  // Extends the scenario's last range in the pack to the asset's blocks, if reading the gap is
  // cheaper than skipping it.
  void add_blocks(uint32_t pack, const LaidAsset& asset, const AssetPlace& place,
                  size_t first_range) {
    const uint64_t bytes = place.offset_bytes + asset.size_bytes;
    const auto count =
        static_cast<uint32_t>((bytes + layout_.block_bytes - 1) / layout_.block_bytes);
    const uint32_t end = place.block + count;
    if (ranges_.size() > first_range && ranges_.back().pack == pack) {
      format::Range& last = ranges_.back();
      const uint32_t last_end = last.first_block + last.block_count;
      const std::vector<uint64_t>& offsets = packs_[pack].block_offsets;
      if (place.block < last_end ||
          offsets[place.block] - offsets[last_end] <= layout_.read_through_bytes) {
        last.block_count = std::max(last_end, end) - last.first_block;
        return;
      }
    }
    ranges_.push_back({pack, place.block, count, 0});
  }

  const Layout& layout_;
  const std::vector<WrittenPack>& packs_;
  const uint64_t hash_seed_;
  const std::vector<std::vector<uint32_t>> numbers_;
  std::vector<format::CatalogPack> pack_records_;
  std::vector<format::CatalogAsset> assets_;
  std::vector<format::Place> places_;
  std::vector<format::Scenario> scenarios_;
  std::vector<format::Range> ranges_;
  std::vector<format::Need> needs_;
  std::string strings_;
};

}  // namespace

Result<TableFile> build_catalog(const Layout& layout, const std::vector<WrittenPack>& packs,
                                uint64_t hash_seed) {
  return CatalogBuilder(layout, packs, hash_seed).build();
}

Result<void> write_catalog(const Layout& layout, const std::vector<WrittenPack>& packs,
                           uint64_t hash_seed, const std::string& path) {
  SKL_TRY(auto catalog, build_catalog(layout, packs, hash_seed));
  SKL_TRY(auto file, PendingFile::create(path));
  SKL_TRY_DROP(catalog.write(file));
  return file.commit();
}

}  // namespace seekless
