#include "runtime/sweep.h"

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/asset_path.h"
#include "tests/pack/set_maker.h"
#include "tests/runtime/forge.h"
#include "tests/runtime/memory_files.h"

namespace seekless::runtime {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr uint64_t kBudget = 16 * kBlock;

// A set in memory that is swept from its beginning to its end.
class SweptSet {
 public:
  explicit SweptSet(const SetMaker& set, uint64_t budget_bytes = kBudget)
      : files(set.folder()), folder(set.folder()), pool(budget_bytes) {}

  // An empty scenario means all of the single pack `path`.
  Result<Owned<Sweep>> open(const std::string& scenario, const std::string& path = "") {
    opened = *PackSet::open(files, path.empty() ? folder : folder + "/" + path);
    const format::Scenario* found =
        scenario.empty() ? nullptr : opened->catalog()->find_scenario(scenario);
    return Sweep::open(*opened, found, pool);
  }

  std::string path_of(uint32_t number) const {
    const auto placed = opened->place(number);
    return *placed->pack->path(placed->index);
  }

  // Adds a piece to its asset; pieces must come in order.
  void take(const SweptPiece& piece) {
    const std::string path = path_of(piece.asset);
    if (!got.contains(path)) order.push_back(path);
    std::string& content = got[path];
    EXPECT_EQ(content.size(), piece.offset_bytes) << path;
    content.append(reinterpret_cast<const char*>(piece.data.data()), piece.data.size());
    EXPECT_LE(content.size(), piece.asset_bytes) << path;
    if (piece.buffer != nullptr) piece.buffer->release();
  }

  // Returns the errors that occurred.
  std::vector<Error> run(Sweep& sweep) {
    std::vector<Error> errors;
    for (int calls = 0; calls < 100000; ++calls) {
      SweptPiece piece;
      const auto answer = sweep.next(piece);
      if (!answer) {
        errors.push_back(answer.error());
        continue;
      }
      if (*answer == SKL_END) return errors;
      EXPECT_EQ(*answer, SKL_OK);
      take(piece);
    }
    ADD_FAILURE() << "the sweep doesn't end";
    return errors;
  }

  MemoryFiles files;
  std::string folder;
  BlockPool pool;
  std::unique_ptr<PackSet> opened;
  std::map<std::string, std::string> got;
  std::vector<std::string> order;
};

// Everything a load order can contain: empty assets first, in the middle and last, equal ones,
// large ones, large equal ones, and gaps that nobody reads.
struct Zoo : SetMaker {
  explicit Zoo(format::Codec codec = format::Codec::raw) {
    const uint32_t menu = add_scenario("menu");
    const uint32_t level = add_scenario("level");
    add_scenario("nothing");
    const std::string large = noise(2 * kBlock + 777, 1);
    add_pack("common");
    add("large", large, {menu, level});
    add("empty 1", "", {menu, level});
    add("small", "small", {menu});
    add("large again", large, {level});
    add("gap", noise(3 * kBlock, 2));
    add("empty 2", "", {level});
    add("zeros", std::string(kBlock + 5, '\0'), {level});
    add("behind", noise(500, 3), {menu, level});
    add("small again", "small", {level});
    add_pack("level", PackKind::sub);
    add("own", noise(kBlock - 10, 4), {level});
    add("own 2", noise(kBlock - 10, 5), {level});
    add("empty 3", "", {level});
    add_pack("cold", PackKind::cold);
    add("unread", "unread");
    write({.codec = codec});
  }

  std::map<std::string, std::string> needs_of(uint32_t scenario) const {
    std::map<std::string, std::string> needs;
    for (const LaidPack& pack : layout.packs)
      for (const LaidAsset& asset : pack.assets)
        for (const uint32_t reader : layout.scenario_sets[asset.scenario_set])
          if (reader == scenario) needs[asset.path] = contents.at(asset.path);
    return needs;
  }
};

TEST(Sweep, brings_what_a_scenario_needs_and_nothing_else) {
  for (const auto codec : {format::Codec::raw, format::Codec::lz4}) {
    const Zoo zoo(codec);
    for (uint32_t i = 0; i < zoo.layout.scenarios.size(); ++i) {
      SweptSet swept(zoo);
      const auto sweep = swept.open(zoo.layout.scenarios[i].name);
      ASSERT_TRUE(sweep) << sweep.error().message;
      EXPECT_TRUE(swept.run(**sweep).empty());
      EXPECT_TRUE(swept.got == zoo.needs_of(i)) << zoo.layout.scenarios[i].name;
      const skl_progress progress = (*sweep)->progress();
      EXPECT_EQ(progress.read_bytes, progress.total_bytes);
    }
  }
}

TEST(Sweep, of_a_single_pack_brings_all_of_it) {
  const Zoo zoo;
  for (const char* name : {"common.skl", "level.skl", "cold.skl"}) {
    SweptSet swept(zoo);
    const auto sweep = swept.open("", name);
    ASSERT_TRUE(sweep);
    EXPECT_TRUE(swept.run(**sweep).empty());
    EXPECT_EQ(swept.got.size(), swept.opened->asset_count());
    for (const auto& [path, content] : swept.got)
      EXPECT_TRUE(content == zoo.contents.at(path)) << path;
  }
}

TEST(Sweep, reads_forward_each_block_once_and_leaves_gaps_out) {
  const Zoo zoo;
  SweptSet swept(zoo);
  const auto sweep = swept.open("menu");
  ASSERT_TRUE(sweep);
  const size_t opening = swept.files.reads.size();
  EXPECT_TRUE(swept.run(**sweep).empty());
  uint64_t at = 0;
  uint64_t bytes = 0;
  for (size_t i = opening; i < swept.files.reads.size(); ++i) {
    const auto& read = swept.files.reads[i];
    if (read.length_bytes < format::kPageBytes || read.offset_bytes % format::kPageBytes != 0)
      continue;  // reads names, which only the test asks for
    EXPECT_GE(read.offset_bytes, at);
    at = read.offset_bytes + read.length_bytes;
    bytes += read.length_bytes;
  }
  EXPECT_LT(bytes, bytes_of_file(zoo.file("common.skl")).size() - 3 * kBlock);
  EXPECT_EQ((*sweep)->progress().jumps, 2U);  // one to the pack, and one over the gap
}

// Returns what was read, pack by pack: a name each time that the head comes to its file.
std::vector<std::string> visits(const MemoryFiles& files, size_t from) {
  std::vector<std::string> names;
  for (size_t i = from; i < files.reads.size(); ++i) {
    const std::string name = std::filesystem::path(files.reads[i].path).filename().string();
    if (names.empty() || names.back() != name) names.push_back(name);
  }
  return names;
}

// Takes everything without asking the set for names, because that would read them.
size_t bytes_swept(Sweep& sweep) {
  size_t bytes = 0;
  for (SweptPiece piece; *sweep.next(piece) == SKL_OK;) {
    bytes += piece.data.size();
    if (piece.buffer != nullptr) piece.buffer->release();
  }
  return bytes;
}

TEST(Sweep, comes_to_each_pack_once) {
  const Zoo zoo;
  SweptSet swept(zoo);
  const auto sweep = swept.open("level");
  ASSERT_TRUE(sweep) << sweep.error().message;
  const skl_progress before = (*sweep)->progress();
  EXPECT_GT(bytes_swept(**sweep), 0U);
  EXPECT_THAT(visits(swept.files, 0), ElementsAre("catalog.skl", "common.skl", "level.skl"));
  const skl_progress after = (*sweep)->progress();
  EXPECT_EQ(after.read_bytes, after.total_bytes);
  EXPECT_GE(before.total_bytes, after.total_bytes);
  EXPECT_LT(before.total_bytes, after.total_bytes + 3 * kBlock) << "at most a block for each pack";
}

TEST(Sweep, a_missing_pack_is_told_when_it_is_opened) {
  const Zoo zoo;
  SweptSet swept(zoo);
  swept.files.files.erase(zoo.file("level.skl"));
  const auto sweep = swept.open("level");
  ASSERT_FALSE(sweep);
  EXPECT_EQ(sweep.error().result, SKL_NOT_FOUND);
  EXPECT_THAT(sweep.error().message, HasSubstr("level.skl"));
  EXPECT_TRUE(swept.open("menu")) << "which doesn't read it";
}

TEST(Sweep, a_pack_of_another_length_is_told_when_it_is_opened) {
  const Zoo zoo;
  SweptSet swept(zoo);
  swept.files.files[zoo.file("level.skl")].resize(kBlock);
  const auto sweep = swept.open("level");
  ASSERT_FALSE(sweep);
  EXPECT_EQ(sweep.error().result, SKL_DAMAGED);
  EXPECT_THAT(sweep.error().message, HasSubstr("level.skl"));
}

TEST(Sweep, after_a_pack_that_cannot_be_opened_everything_else_still_comes) {
  SetMaker set;
  const uint32_t menu = set.add_scenario("menu");
  for (const char* name : {"first", "second", "third"}) {
    set.add_pack(name);
    set.add(std::string(name) + " 1", noise(3 * kBlock, name[0]), {menu});
    set.add(std::string(name) + " 2", name, {menu});
  }
  set.write();
  for (const char* name : {"second", "third"}) {
    SweptSet swept(set);
    swept.files.faults = {{set.file(std::string(name) + ".skl"), 600}};  // in its tables
    const auto sweep = swept.open("menu");
    ASSERT_TRUE(sweep) << sweep.error().message;
    const std::vector<Error> errors = swept.run(**sweep);
    ASSERT_EQ(errors.size(), 1U);
    EXPECT_EQ(errors[0].result, SKL_IO);
    EXPECT_THAT(errors[0].message, HasSubstr(std::string(name) + ".skl"));
    EXPECT_THAT(errors[0].message, HasSubstr("2 assets"));
    EXPECT_EQ(swept.got.size(), 4U);
    const skl_progress progress = (*sweep)->progress();
    EXPECT_EQ(progress.read_bytes, progress.total_bytes);
  }
}

TEST(Sweep, of_which_all_is_planned_reads_no_tables_again) {
  const Zoo zoo;
  SweptSet swept(zoo);
  const auto sweep = swept.open("level");
  ASSERT_TRUE(sweep);
  EXPECT_GT(bytes_swept(**sweep), 0U);
  swept.files.reads.clear();
  const auto again =
      Sweep::open(*swept.opened, swept.opened->catalog()->find_scenario("level"), swept.pool);
  ASSERT_TRUE(again);
  EXPECT_TRUE(swept.files.reads.empty());
  EXPECT_EQ((*again)->progress().total_bytes, (*sweep)->progress().total_bytes);
}

TEST(Sweep, what_is_wanted_of_a_pack_that_is_not_open_yet_comes_next) {
  const Zoo zoo;
  SweptSet swept(zoo);
  const auto sweep = swept.open("level");
  ASSERT_TRUE(sweep);
  const auto number_of = [&](const std::string& path) {
    return swept.opened->find(
        hash_asset_path(path, swept.opened->hash_seed(), swept.opened->folds_case()));
  };
  EXPECT_EQ((*sweep)->want(number_of("own 2")), SKL_OK);
  EXPECT_EQ((*sweep)->want(number_of("own 2")), SKL_OK) << "twice is once";
  EXPECT_EQ((*sweep)->want(number_of("unread")), SKL_NOT_FOUND);
  EXPECT_EQ((*sweep)->want(UINT32_MAX), SKL_NOT_FOUND);
  EXPECT_TRUE(swept.run(**sweep).empty());
  EXPECT_EQ(swept.order.front(), "own 2");
  EXPECT_TRUE(swept.got == zoo.needs_of(1));
  EXPECT_EQ((*sweep)->want(number_of("own 2")), SKL_END);
}

TEST(Sweep, what_is_wanted_of_a_pack_that_cannot_be_opened_is_lost) {
  const Zoo zoo;
  SweptSet swept(zoo);
  swept.files.faults = {{zoo.file("level.skl"), 600}};
  const auto sweep = swept.open("level");
  ASSERT_TRUE(sweep);
  const uint32_t own = swept.opened->find(hash_asset_path("own", swept.opened->hash_seed(), false));
  EXPECT_EQ((*sweep)->want(own), SKL_OK);
  EXPECT_EQ(swept.run(**sweep).size(), 1U);
  EXPECT_EQ(swept.got.size(), zoo.needs_of(1).size() - 3);
  EXPECT_EQ((*sweep)->want(own), SKL_END);
}

TEST(Sweep, of_empty_assets_alone_reads_nothing) {
  SetMaker set;
  const uint32_t menu = set.add_scenario("menu");
  set.add_pack("p");
  set.add("x", "", {menu});
  set.add("y", "", {menu});
  set.write();
  SweptSet swept(set);
  const auto sweep = swept.open("menu");
  ASSERT_TRUE(sweep);
  EXPECT_TRUE(swept.run(**sweep).empty());
  EXPECT_THAT(swept.order, ElementsAre("x", "y"));
  EXPECT_EQ((*sweep)->progress().reads, 0U);
}

TEST(Sweep, hands_out_memory_as_aligned_as_the_asset) {
  SetMaker set;
  set.add_pack("p");
  for (int i = 0; i < 20; ++i)
    set.add("a" + std::to_string(i), noise(100, static_cast<uint64_t>(i))).alignment_bytes =
        i % 2 == 0 ? 4096 : 256;
  set.write();
  SweptSet swept(set);
  const auto sweep = swept.open("", "p.skl");
  ASSERT_TRUE(sweep);
  SweptPiece piece;
  for (int i = 0; i < 20; ++i) {
    ASSERT_EQ(*(*sweep)->next(piece), SKL_OK);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(piece.data.data()) % (i % 2 == 0 ? 4096 : 256), 0U);
    swept.take(piece);
  }
}

TEST(Sweep, after_a_damaged_block_everything_else_still_comes) {
  for (const auto codec : {format::Codec::raw, format::Codec::lz4}) {
    const Zoo zoo(codec);
    const uint32_t level = 1;
    const std::map<std::string, std::string> needs = zoo.needs_of(level);
    SweptSet sound(zoo);
    ASSERT_TRUE(sound.open("level"));
    for (uint32_t number = 0; number < 2; ++number) {
      const Pack& pack = **sound.opened->pack(number);
      for (uint32_t block = 0; block < pack.blocks().size(); ++block) {
        SweptSet swept(zoo);
        const auto sweep = swept.open("level");
        ASSERT_TRUE(sweep);
        swept.files.faults = {
            {pack.file().name(), pack.blocks()[block].offset_bytes, kForever, block % 2 == 0}};
        const std::vector<Error> errors = swept.run(**sweep);
        std::set<std::string> lost;
        for (uint32_t i = 0; i < pack.assets().size(); ++i) {
          const format::Asset& asset = pack.assets()[i];
          if (asset.block <= block && block < asset.block + pack.block_count(asset))
            lost.insert(*pack.path(i));
        }
        for (const auto& [path, content] : needs) {
          const bool came = swept.got.contains(path) && swept.got.at(path) == content;
          EXPECT_EQ(came, !lost.contains(path))
              << path << ", block " << block << " of pack " << number;
        }
        EXPECT_LE(errors.size(), 1U);
      }
    }
  }
}

// An empty asset needn't come first: other writers may put it in between.
TEST(Sweep, an_empty_asset_in_a_damaged_block_does_not_hold_up_the_rest) {
  SetMaker set;
  set.add_pack("p");
  set.add("", "");
  set.layout.packs.back().assets.back().path = "empty";
  set.add("a", noise(64, 1));
  set.add("b", noise(64, 2));
  set.add("c", noise(kBlock, 3));
  set.write();
  Forge forge(bytes_of_file(set.file("p.skl")));
  // empty, a, b, c  ->  a, empty, b, c
  const format::Asset a = forge.asset(1);
  forge.asset(1) = forge.asset(0);
  forge.asset(1).place = forge.asset(2).place;
  forge.asset(0) = a;
  for (uint32_t i = 0; i < forge.section(format::PackSection::slots).record_count; ++i) {
    auto& slot = forge.record<format::Slot>(format::PackSection::slots, i);
    if (slot.index < 2) slot.index = 1 - slot.index;
  }
  SweptSet swept(set);
  swept.files.files[set.file("p.skl")] = forge.sealed();
  const auto sweep = swept.open("", "p.skl");
  ASSERT_TRUE(sweep) << sweep.error().message;
  const uint64_t first_block = (*swept.opened->pack(0))->blocks()[0].offset_bytes;
  swept.files.faults = {{set.file("p.skl"), first_block}};
  std::vector<uint64_t> sizes;
  size_t errors = 0;
  for (SweptPiece piece;;) {
    const auto answer = (*sweep)->next(piece);
    if (!answer) {
      ASSERT_LT(++errors, 2U);
      continue;
    }
    if (*answer == SKL_END) break;
    sizes.push_back(piece.asset_bytes);
    if (piece.buffer != nullptr) piece.buffer->release();
  }
  EXPECT_THAT(sizes, ElementsAre(0, kBlock));
}

TEST(Sweep, goes_on_after_leases_have_pinned_the_budget) {
  const Zoo zoo;
  SweptSet swept(zoo, 2 * kBlock);
  const auto sweep = swept.open("level");
  ASSERT_TRUE(sweep) << sweep.error().message;
  std::vector<SweptPiece> held;
  size_t blocked = 0;
  for (;;) {
    SweptPiece piece;
    const auto answer = (*sweep)->next(piece);
    ASSERT_TRUE(answer) << answer.error().message;
    if (*answer == SKL_END) break;
    if (*answer == SKL_OK) {
      held.push_back(piece);
      continue;
    }
    ASSERT_EQ(*answer, SKL_WOULD_BLOCK);
    EXPECT_EQ(*(*sweep)->next(piece), SKL_WOULD_BLOCK) << "asking again changes nothing";
    ASSERT_FALSE(held.empty());
    ++blocked;
    for (const SweptPiece& lease : held) swept.take(lease);
    held.clear();
  }
  for (const SweptPiece& lease : held) swept.take(lease);
  EXPECT_GT(blocked, 2U);
  EXPECT_TRUE(swept.got == zoo.needs_of(1));
}

TEST(Sweep, compressed_goes_on_after_leases_have_pinned_the_budget) {
  const Zoo zoo(format::Codec::lz4);
  SweptSet swept(zoo, 2 * kBlock);
  const auto sweep = swept.open("level");
  ASSERT_TRUE(sweep) << sweep.error().message;
  std::vector<SweptPiece> held;
  for (;;) {
    SweptPiece piece;
    const auto answer = (*sweep)->next(piece);
    ASSERT_TRUE(answer);
    if (*answer == SKL_END) break;
    if (*answer == SKL_OK) held.push_back(piece);
    if (*answer == SKL_OK) continue;
    ASSERT_FALSE(held.empty());
    for (const SweptPiece& lease : held) swept.take(lease);
    held.clear();
  }
  for (const SweptPiece& lease : held) swept.take(lease);
  EXPECT_TRUE(swept.got == zoo.needs_of(1));
}

TEST(Sweep, leases_outlive_it) {
  const Zoo zoo;
  SweptSet swept(zoo);
  SweptPiece piece;
  {
    const auto sweep = swept.open("menu");
    do {
      ASSERT_EQ(*(*sweep)->next(piece), SKL_OK);
    } while (piece.buffer == nullptr);
  }
  swept.take(piece);
  EXPECT_TRUE(swept.got.at("large") == zoo.contents.at("large").substr(0, kBlock));
}

TEST(Sweep, two_compressed_sweeps_share_a_budget_for_one) {
  const Zoo zoo(format::Codec::lz4);
  SweptSet first(zoo, 2 * kBlock);
  const auto a = first.open("level");
  const auto b =
      Sweep::open(*first.opened, first.opened->catalog()->find_scenario("menu"), first.pool);
  ASSERT_TRUE(a);
  ASSERT_TRUE(b);
  std::vector<Sweep*> sweeps = {a->get(), b->get()};
  size_t pieces = 0;
  for (int calls = 0; calls < 1000 && !sweeps.empty(); ++calls) {
    Sweep* sweep = sweeps[static_cast<size_t>(calls) % sweeps.size()];
    SweptPiece piece;
    const auto answer = sweep->next(piece);
    ASSERT_TRUE(answer);
    if (*answer == SKL_END) std::erase(sweeps, sweep);
    if (*answer != SKL_OK) continue;
    ++pieces;
    if (piece.buffer != nullptr) piece.buffer->release();
  }
  EXPECT_TRUE(sweeps.empty()) << "each waits for what the other holds";
  EXPECT_GT(pieces, 10U);
}

TEST(Sweep, refuses_a_budget_that_no_block_fits_in) {
  const Zoo zoo;
  SweptSet swept(zoo, kBlock - 1);
  const auto sweep = swept.open("menu");
  ASSERT_FALSE(sweep);
  EXPECT_EQ(sweep.error().result, SKL_INVALID);
  const Zoo compressed(format::Codec::lz4);
  SweptSet tight(compressed, 2 * kBlock - 1);
  EXPECT_EQ(tight.open("menu").error().result, SKL_INVALID);
}

// Packs with different block sizes can only be combined by hand; nothing may hang.
TEST(Sweep, serves_a_small_compressed_pack_and_then_a_large_raw_one) {
  SetMaker small;
  small.add_scenario("menu");
  small.add_pack("small");
  small.add("s", std::string(1000, 'x'), {0});
  small.write({.codec = format::Codec::lz4});
  SetMaker large(4 * kBlock);
  large.add_pack("large");
  large.add("l", noise(4 * kBlock, 1));
  large.write();

  MemoryFiles files(small.folder());
  BlockPool pool(4 * kBlock);
  const auto first = PackSet::open(files, small.folder());
  const auto sweep = Sweep::open(**first, (*first)->catalog()->find_scenario("menu"), pool);
  ASSERT_TRUE(sweep);
  SweptPiece piece;
  ASSERT_EQ(*(*sweep)->next(piece), SKL_OK);
  piece.buffer->release();
  ASSERT_EQ(*(*sweep)->next(piece), SKL_END);
  // Another sweep may use the memory that the first one no longer needs.
  files.files[large.file("large.skl")] = bytes_of_file(large.file("large.skl"));
  const auto second = PackSet::open(files, large.file("large.skl"));
  const auto other = Sweep::open(**second, nullptr, pool);
  ASSERT_TRUE(other);
  ASSERT_EQ(*(*other)->next(piece), SKL_OK);
  piece.buffer->release();
}

TEST(Sweep, refuses_scenarios_that_cannot_be_carried_out) {
  const Zoo zoo;
  using format::CatalogSection;
  const auto range = [](Forge& f, size_t i) -> format::Range& {
    return f.record<format::Range>(CatalogSection::ranges, i);
  };
  struct Crime {
    const char* what;
    std::function<void(Forge&)> commit;
  };
  const std::vector<Crime> crimes = {
      {"range beyond the pack",
       [&](Forge& f) { range(f, 1).block_count = UINT32_MAX - range(f, 1).first_block; }},
      {"blocks left out in front", [&](Forge& f) { ++range(f, 0).first_block; }},
      {"blocks left out behind", [&](Forge& f) { --range(f, 0).block_count; }}};
  for (const Crime& crime : crimes) {
    SweptSet swept(zoo);
    Forge forge(swept.files.files.at(zoo.file("catalog.skl")));
    crime.commit(forge);
    swept.files.files[zoo.file("catalog.skl")] = forge.sealed();
    const auto sweep = swept.open("menu");
    ASSERT_FALSE(sweep) << crime.what;
    EXPECT_EQ(sweep.error().result, SKL_DAMAGED) << crime.what;
    EXPECT_THAT(sweep.error().message, HasSubstr("common.skl")) << crime.what;
  }
}

}  // namespace
}  // namespace seekless::runtime
