#include "runtime/catalog.h"

#include <functional>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/asset_path.h"
#include "runtime/pack_set.h"
#include "tests/pack/set_maker.h"
#include "tests/runtime/forge.h"
#include "tests/runtime/memory_files.h"

namespace seekless::runtime {
namespace {

using format::CatalogSection;
using testing::HasSubstr;

// Two packs, one asset in both, and two scenarios.
struct Set : SetMaker {
  Set() {
    const uint32_t menu = add_scenario("menu");
    const uint32_t level = add_scenario("level");
    add_pack("common");
    add("both", "shared content", {menu, level});
    add("copied", "the same twice", {menu});
    add_pack("sub", PackKind::sub);
    add("alone", noise(3000, 1), {level});
    add("copied", "the same twice", {level});
    write();
  }
  std::string catalog() const { return bytes_of_file(file("catalog.skl")); }
};

skl_result open_result(std::string bytes, std::string* message = nullptr) {
  MemoryFiles files;
  files.files["catalog.skl"] = std::move(bytes);
  const auto file = files.open("catalog.skl");
  const auto catalog = Catalog::open(**file);
  if (message != nullptr && !catalog) *message = catalog.error().message;
  return catalog ? SKL_OK : catalog.error().result;
}

TEST(Catalog, knows_packs_places_and_scenarios) {
  const Set set;
  MemoryFiles files(set.folder());
  const auto file = files.open(set.file("catalog.skl"));
  const auto catalog = Catalog::open(**file);
  ASSERT_TRUE(catalog) << catalog.error().message;
  ASSERT_EQ((*catalog)->packs().size(), 2U);
  EXPECT_EQ((*catalog)->name((*catalog)->packs()[1]), "sub.skl");
  EXPECT_EQ((*catalog)->packs()[1].kind, format::PackKind::sub);
  const auto find = [&](const char* path) {
    return (*catalog)->find(hash_asset_path(path, (*catalog)->header().hash_seed, false));
  };
  EXPECT_EQ(find("nowhere"), format::kEmptySlot);
  EXPECT_EQ((*catalog)->assets().size(), 3U);
  EXPECT_EQ((*catalog)->places((*catalog)->assets()[find("copied")]).size(), 2U);
  EXPECT_EQ((*catalog)->places((*catalog)->assets()[find("alone")]).front().pack, 1U);
  const format::Scenario* level = (*catalog)->find_scenario("level");
  ASSERT_NE(level, nullptr);
  EXPECT_EQ(asset_count((*catalog)->needs(*level)), 3U);
  EXPECT_EQ((*catalog)->ranges(*level).size(), 2U);
  EXPECT_EQ(level->needed_bytes, 14U + 3000 + 14);
  EXPECT_EQ((*catalog)->find_scenario("Level"), nullptr);
}

TEST(Catalog, refuses_every_truncation) {
  const std::string bytes = Set().catalog();
  for (size_t size = 0; size < bytes.size(); ++size)
    ASSERT_EQ(open_result(bytes.substr(0, size)), SKL_DAMAGED) << size;
  EXPECT_EQ(open_result(bytes), SKL_OK);
}

TEST(Catalog, refuses_those_that_listed_needs_one_by_one) {
  Forge forge(Set().catalog());
  forge.header().required_flags = 0;
  std::string message;
  EXPECT_EQ(open_result(forge.sealed(), &message), SKL_DAMAGED);
  EXPECT_THAT(message, HasSubstr("of an earlier seekless; pack it again"));
}

TEST(Catalog, refuses_a_pack_in_its_place) {
  const Set set;
  std::string message;
  EXPECT_EQ(open_result(bytes_of_file(set.file("sub.skl")), &message), SKL_DAMAGED);
  EXPECT_THAT(message, HasSubstr("expected a catalog, found a pack"));
}

TEST(Catalog, refuses_records_that_lie) {
  const std::string bytes = Set().catalog();
  struct Crime {
    const char* what;
    std::function<void(Forge&)> commit;
  };
  const auto pack = [](Forge& f, size_t i) -> format::CatalogPack& {
    return f.record<format::CatalogPack>(CatalogSection::packs, i);
  };
  const auto asset = [](Forge& f, size_t i) -> format::CatalogAsset& {
    return f.record<format::CatalogAsset>(CatalogSection::assets, i);
  };
  const auto place = [](Forge& f, size_t i) -> format::Place& {
    return f.record<format::Place>(CatalogSection::places, i);
  };
  const auto need = [](Forge& f, size_t i) -> format::Need& {
    return f.record<format::Need>(CatalogSection::needs, i);
  };
  const auto scenario = [](Forge& f, size_t i) -> format::Scenario& {
    return f.record<format::Scenario>(CatalogSection::scenarios, i);
  };
  const auto range = [](Forge& f, size_t i) -> format::Range& {
    return f.record<format::Range>(CatalogSection::ranges, i);
  };
  const std::vector<Crime> crimes = {
      {"pack's name beyond", [&](Forge& f) { pack(f, 0).name_offset = UINT32_MAX; }},
      {"pack's name too long", [&](Forge& f) { pack(f, 1).name_bytes = UINT32_MAX; }},
      {"pack without name", [&](Forge& f) { pack(f, 1).name_bytes = 0; }},
      {"two packs in one file", [&](Forge& f) { pack(f, 1) = pack(f, 0); }},
      {"assets in no place", [&](Forge& f) { asset(f, 0).place_count = 0; }},
      {"places beyond", [&](Forge& f) { asset(f, 2).place_count = UINT32_MAX; }},
      {"places shared", [&](Forge& f) { asset(f, 1).first_place = asset(f, 0).first_place; }},
      {"place in no pack", [&](Forge& f) { place(f, 0).pack = 2; }},
      {"place of no asset", [&](Forge& f) { place(f, 3).asset = UINT32_MAX; }},
      {"need in no pack", [&](Forge& f) { need(f, 0).pack = UINT32_MAX; }},
      {"need of no asset", [&](Forge& f) { need(f, 0).first_asset = 2; }},
      {"need of more than there is", [&](Forge& f) { need(f, 0).asset_count = UINT32_MAX; }},
      {"need of nothing", [&](Forge& f) { need(f, 0).asset_count = 0; }},
      {"need twice", [&](Forge& f) { need(f, 2) = need(f, 1); }},
      {"needs go back to a pack", [&](Forge& f) { std::swap(need(f, 2), need(f, 1)); }},
      {"range in no pack", [&](Forge& f) { range(f, 0).pack = 2; }},
      {"range's reserved field", [&](Forge& f) { range(f, 0).reserved_zero = 1; }},
      {"range of nothing", [&](Forge& f) { range(f, 0).block_count = 0; }},
      {"range twice", [&](Forge& f) { range(f, 2) = range(f, 1); }},
      {"ranges fall", [&](Forge& f) { std::swap(range(f, 2), range(f, 1)); }},
      {"scenario's ranges beyond", [&](Forge& f) { scenario(f, 1).range_count = 9; }},
      {"scenario's ranges shared", [&](Forge& f) { scenario(f, 1).first_range = 0; }},
      {"scenario's needs beyond", [&](Forge& f) { scenario(f, 1).need_count = UINT32_MAX; }},
      {"scenario's needs shared", [&](Forge& f) { scenario(f, 1).first_need = 0; }},
      {"scenario's name beyond", [&](Forge& f) { scenario(f, 0).name_bytes = UINT32_MAX; }},
      {"two scenarios of one name",
       [&](Forge& f) {
         scenario(f, 1).name_offset = scenario(f, 0).name_offset;
         scenario(f, 1).name_bytes = scenario(f, 0).name_bytes;
       }},
      {"slots",
       [](Forge& f) { f.record<format::Slot>(CatalogSection::slots, 0).index ^= 0x4000'0000; }}};
  for (const Crime& crime : crimes) {
    Forge forge(bytes);
    crime.commit(forge);
    std::string message;
    EXPECT_EQ(open_result(forge.sealed(), &message), SKL_DAMAGED) << crime.what;
    EXPECT_THAT(message, HasSubstr("catalog.skl: ")) << crime.what;
  }
}

TEST(Catalog, refuses_pack_names_that_lead_elsewhere) {
  const std::string bytes = Set().catalog();
  for (const char* name : {"../.skl", "/ub.skl", "s/b.skl", "..", "s\\b.skl", "s\nb.skl"}) {
    std::string hostile = bytes;
    const std::string_view text(name);
    hostile.replace(hostile.find("sub.skl"), text.size(), text);
    EXPECT_EQ(open_result(Forge(hostile).sealed()),
              text == ".." ? SKL_OK : SKL_DAMAGED)  // "..b.skl" is a name
        << name;
  }
}

TEST(Catalog, refuses_scenario_names_that_no_text_can_hold) {
  const std::string bytes = Set().catalog();
  for (const char* name : {"men\xff", "me\x1b[", "m\nnu"}) {
    std::string hostile = bytes;
    hostile.replace(hostile.find("menu"), 4, name);
    EXPECT_EQ(open_result(Forge(hostile).sealed()), SKL_DAMAGED) << name;
  }
}

TEST(PackSet, opens_a_pack_when_it_is_first_needed) {
  const Set set;
  const MemoryFiles files(set.folder());
  const auto opened = PackSet::open(files, set.folder());
  ASSERT_TRUE(opened) << opened.error().message;
  EXPECT_EQ(files.opened, 1U);
  const auto find = [&](const char* path) {
    return (*opened)->find(hash_asset_path(path, (*opened)->hash_seed(), false));
  };
  EXPECT_EQ((*opened)->size_bytes(find("alone")), 3000U);
  EXPECT_EQ(files.opened, 1U);
  ASSERT_TRUE((*opened)->place(find("alone")));
  ASSERT_TRUE((*opened)->place(find("alone")));
  EXPECT_EQ(files.opened, 2U);
}

TEST(PackSet, refuses_a_pack_of_another_set) {
  const Set set;
  MemoryFiles files(set.folder());
  Forge forge(files.files.at(set.file("sub.skl")));
  forge.header().minor = 1;
  files.files[set.file("sub.skl")] = forge.sealed();
  const auto opened = PackSet::open(files, set.folder());
  ASSERT_TRUE(opened);
  EXPECT_TRUE((*opened)->pack(0));
  const auto pack = (*opened)->pack(1);
  ASSERT_FALSE(pack);
  EXPECT_EQ(pack.error().result, SKL_DAMAGED);
  EXPECT_THAT(pack.error().message, HasSubstr("the pack that its catalog was made with"));
}

TEST(PackSet, a_missing_pack_is_not_found_and_the_others_still_open) {
  const Set set;
  MemoryFiles files(set.folder());
  files.files.erase(set.file("sub.skl"));
  const auto opened = PackSet::open(files, set.folder());
  ASSERT_TRUE(opened);
  EXPECT_EQ((*opened)->pack(1).error().result, SKL_NOT_FOUND);
  EXPECT_TRUE((*opened)->pack(0));
}

TEST(PackSet, opens_a_folder_its_catalog_or_a_single_pack) {
  const Set set;
  const MemoryFiles files(set.folder());
  EXPECT_TRUE((*PackSet::open(files, set.folder()))->catalog());
  EXPECT_TRUE((*PackSet::open(files, set.file("catalog.skl")))->pack(1));
  const auto single = PackSet::open(files, set.file("sub.skl"));
  ASSERT_TRUE(single);
  EXPECT_EQ((*single)->catalog(), nullptr);
  EXPECT_EQ((*single)->asset_count(), 2U);
  EXPECT_EQ(PackSet::open(files, set.file("no.skl")).error().result, SKL_NOT_FOUND);
}

}  // namespace
}  // namespace seekless::runtime
