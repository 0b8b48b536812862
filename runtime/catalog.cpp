#include "runtime/catalog.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "runtime/asset_path.h"
#include "runtime/heap_sort.h"

namespace seekless::runtime {
namespace {

using format::CatalogSection;

constexpr std::array<const char*, format::kCatalogSections> kCatalogSectionNames = {
    "packs", "slots", "assets", "places", "scenarios", "ranges", "needs", "strings"};

constexpr size_t number(CatalogSection section) {
  return static_cast<size_t>(section);
}

template <typename Record>
bool holds(const format::Header& header, CatalogSection section) {
  return holds_its_records<Record>(header.sections[number(section)]);
}

// Checks that a record's references directly follow the previous record's, so that checking all of
// them takes time proportional to the file's size.
bool follows(uint64_t first, uint64_t count, uint64_t& next, uint64_t size) {
  if (first != next || count > size - next) return false;
  next += count;
  return true;
}

bool within(uint64_t first, uint64_t count, uint64_t size) {
  return first <= size && count <= size - first;
}

// Returns true if the runs are in ascending order of pack and block or asset. Then nothing is read
// or handed out twice, and the packs limit the memory that a sweep needs.
template <typename Run>
bool rises(std::span<const Run> runs, uint32_t Run::*first, uint32_t Run::*count) {
  const Run* before = nullptr;
  for (const Run& run : runs) {
    if (run.*count == 0) return false;
    if (before != nullptr &&
        (run.pack < before->pack ||
         (run.pack == before->pack && run.*first < uint64_t{before->*first} + before->*count)))
      return false;
    before = &run;
  }
  return true;
}

bool all_differ(std::vector<std::string_view> names) {
  heap_sort(names);
  return std::ranges::adjacent_find(names) == names.end();
}

// The name is joined to the set's folder, so it must not lead out of that folder.
bool is_file_name(std::string_view name) {
  return check_asset_path(name) == PathFault::none && name.find('/') == std::string_view::npos;
}

}  // namespace

std::string typical_of(std::string_view scenario) {
  return join({scenario.substr(0, scenario.find_last_of('/') + 1), "typical"});
}

size_t asset_count(std::span<const format::Need> needs) {
  size_t count = 0;
  for (const format::Need& need : needs) count += need.asset_count;
  return count;
}

Result<std::unique_ptr<Catalog>> Catalog::open(const File& file, const Memory& memory) {
  std::unique_ptr<Catalog> catalog(new Catalog);
  if (auto loaded = catalog->load(file, memory); !loaded) return std::unexpected(loaded.error());
  if (auto checked = catalog->check(file); !checked) return std::unexpected(checked.error());
  return catalog;
}

Result<void> Catalog::load(const File& file, const Memory& from) {
  const auto header = read_header(file);
  if (!header) return std::unexpected(header.error());
  header_ = *header;
  if (header_.kind != format::FileKind::catalog)
    return bad_table(file, {"header"}, {"a catalog"}, {"a pack"});
  if ((header_.required_flags & format::kNeedRuns) == 0)
    return bad_table(file, {"header"}, {"needs as runs of assets"},
                     {"those of an earlier seekless"});
  const format::Section& last = header_.sections[format::kCatalogSections - 1];
  if (last.offset_bytes + last.size_bytes != header_.file_bytes || header_.block_bytes != 0)
    return bad_table(file, {"header"}, {"the end of the file after the last table"},
                     {"something else"});
  auto memory =
      read_sections(file, header_, 0, format::kCatalogSections - 1, kCatalogSectionNames, from);
  if (!memory) return std::unexpected(memory.error());
  memory_ = std::move(*memory);
  if (!holds<format::CatalogPack>(header_, CatalogSection::packs) ||
      !holds<format::Slot>(header_, CatalogSection::slots) ||
      !holds<format::CatalogAsset>(header_, CatalogSection::assets) ||
      !holds<format::Place>(header_, CatalogSection::places) ||
      !holds<format::Scenario>(header_, CatalogSection::scenarios) ||
      !holds<format::Range>(header_, CatalogSection::ranges) ||
      !holds<format::Need>(header_, CatalogSection::needs) ||
      !holds<char>(header_, CatalogSection::strings))
    return bad_table(file, {"header"}, {"tables as long as their records"}, {"other lengths"});
  const auto whole = [&]<typename Record>(std::span<const Record>& into, CatalogSection section) {
    into = table<Record>(memory_, header_, 0, number(section));
  };
  whole(packs_, CatalogSection::packs);
  whole(slots_, CatalogSection::slots);
  whole(assets_, CatalogSection::assets);
  whole(places_, CatalogSection::places);
  whole(scenarios_, CatalogSection::scenarios);
  whole(ranges_, CatalogSection::ranges);
  whole(needs_, CatalogSection::needs);
  const auto strings = table<char>(memory_, header_, 0, number(CatalogSection::strings));
  strings_ = {strings.data(), strings.size()};
  return {};
}

Result<void> Catalog::check(const File& file) const {
  const auto wrong = [&](const char* table_name, size_t record) {
    return bad_table(file, {"table of ", table_name, ", record ", record},
                     {"references that are in range"}, {"others"});
  };
  if (!valid_slots(slots_, assets_.size())) return wrong("slots", 0);
  if (auto checked = check_names(file); !checked) return checked;
  const auto sound = [this](const format::Place& place) {
    return place.pack < packs_.size() && place.asset < packs_[place.pack].asset_count;
  };
  uint64_t next_place = 0;
  for (size_t i = 0; i < assets_.size(); ++i)
    if (assets_[i].place_count == 0 ||
        !follows(assets_[i].first_place, assets_[i].place_count, next_place, places_.size()))
      return wrong("assets", i);
  if (!std::ranges::all_of(places_, sound)) return wrong("places", 0);
  const auto is_within = [this](const format::Need& need) {
    return need.pack < packs_.size() &&
           within(need.first_asset, need.asset_count, packs_[need.pack].asset_count);
  };
  if (!std::ranges::all_of(needs_, is_within)) return wrong("needs", 0);
  const auto is_of_pack = [this](const format::Range& range) {
    return range.pack < packs_.size() && range.reserved_zero == 0;
  };
  if (!std::ranges::all_of(ranges_, is_of_pack)) return wrong("ranges", 0);
  uint64_t next_range = 0;
  uint64_t next_need = 0;
  for (size_t i = 0; i < scenarios_.size(); ++i) {
    const format::Scenario& scenario = scenarios_[i];
    if (!follows(scenario.first_range, scenario.range_count, next_range, ranges_.size()) ||
        !follows(scenario.first_need, scenario.need_count, next_need, needs_.size()))
      return wrong("scenarios", i);
    if (!rises(ranges(scenario), &format::Range::first_block, &format::Range::block_count))
      return wrong("ranges", scenario.first_range);
    if (!rises(needs(scenario), &format::Need::first_asset, &format::Need::asset_count))
      return wrong("needs", scenario.first_need);
  }
  return {};
}

Result<void> Catalog::check_names(const File& file) const {
  const auto wrong = [&](const char* table_name, size_t record, const char* expected) {
    return bad_table(file, {"table of ", table_name, ", record ", record}, {expected}, {"another"});
  };
  std::vector<std::string_view> names;
  for (size_t i = 0; i < packs_.size(); ++i) {
    if (!within(packs_[i].name_offset, packs_[i].name_bytes, strings_.size()) ||
        !is_file_name(name(packs_[i])))
      return wrong("packs", i, "a name that a file in its folder can have");
    names.push_back(name(packs_[i]));
  }
  // Two packs may not have the same file, or it would be opened twice.
  if (!all_differ(std::move(names))) return wrong("packs", 0, "a file for each pack");
  names.clear();
  for (size_t i = 0; i < scenarios_.size(); ++i) {
    if (!within(scenarios_[i].name_offset, scenarios_[i].name_bytes, strings_.size()) ||
        !is_plain_name(name(scenarios_[i])))
      return wrong("scenarios", i, "a name in UTF-8 without control characters");
    names.push_back(name(scenarios_[i]));
  }
  if (!all_differ(std::move(names))) return wrong("scenarios", 0, "a name for each scenario");
  return {};
}

std::string_view Catalog::name(const format::CatalogPack& pack) const {
  return strings_.substr(pack.name_offset, pack.name_bytes);
}

std::string_view Catalog::name(const format::Scenario& scenario) const {
  return strings_.substr(scenario.name_offset, scenario.name_bytes);
}

std::span<const format::Place> Catalog::places(const format::CatalogAsset& asset) const {
  return places_.subspan(asset.first_place, asset.place_count);
}

std::span<const format::Range> Catalog::ranges(const format::Scenario& scenario) const {
  return ranges_.subspan(scenario.first_range, scenario.range_count);
}

std::span<const format::Need> Catalog::needs(const format::Scenario& scenario) const {
  return needs_.subspan(scenario.first_need, scenario.need_count);
}

uint32_t Catalog::find(uint64_t path_hash) const {
  return find_in_slots(slots_, path_hash, [this](uint32_t index) {
    // Most assets have one place, so it usually has the asset's number. The processor fetches it,
    // for the read that follows, together with the asset.
    __builtin_prefetch(places_.data() + index);
    return assets_[index].path_hash;
  });
}

const format::Scenario* Catalog::find_scenario(std::string_view wanted) const {
  const auto found = std::ranges::find_if(
      scenarios_, [&](const format::Scenario& scenario) { return name(scenario) == wanted; });
  return found == scenarios_.end() ? nullptr : &*found;
}

const format::Scenario* Catalog::find_scenario_or_typical(std::string_view wanted) const {
  const format::Scenario* found = find_scenario(wanted);
  return found != nullptr ? found : find_scenario(typical_of(wanted));
}

}  // namespace seekless::runtime
