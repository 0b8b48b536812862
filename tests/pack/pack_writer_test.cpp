#include "packer/pack/pack_writer.h"

#include <filesystem>
#include <map>
#include <string>

#include <gtest/gtest.h>

#include "packer/pack/pack_plan.h"
#include "tests/pack/zipped_asset.h"

namespace seekless {
namespace {

// Returns which of the two codecs the set was written with, judged by its bytes; "?" if neither.
std::string chosen_for(SetMaker& set) {
  std::map<std::string, std::string> written;
  for (const PackWriteOptions& options :
       {PackWriteOptions{.codec = std::nullopt}, PackWriteOptions{.codec = format::Codec::raw},
        PackWriteOptions{.codec = format::Codec::lz4}}) {
    const TestFolder folder;
    const auto packs = write_pack_set(set.layout, options, folder.path("set"));
    EXPECT_TRUE(packs) << packs.error().message;
    const std::string bytes = files_in(folder.path("set"))["p.skl"];
    const char* name = !options.codec                        ? "chosen"
                       : options.codec == format::Codec::raw ? "raw"
                                                             : "lz4";
    written[name] = bytes;
  }
  EXPECT_NE(written["raw"], written["lz4"]);
  if (written["chosen"] == written["raw"]) return "raw";
  return written["chosen"] == written["lz4"] ? "lz4" : "?";
}

const std::string kProse(40'000, 'x');

TEST(ChosenCodec, is_lz4_for_what_is_deflated_in_its_archive) {
  SetMaker set;
  set.add_pack("p");
  add_zipped(set, "deflated", kProse, 8);
  EXPECT_EQ(chosen_for(set), "lz4");
}

TEST(ChosenCodec, is_raw_for_what_is_stored_or_loose_however_well_it_compresses) {
  SetMaker set;
  set.add_pack("p");
  add_zipped(set, "stored", kProse, 0);
  set.add("loose", kProse);
  set.add("empty", "");
  EXPECT_EQ(chosen_for(set), "raw");
}

TEST(ChosenCodec, is_raw_where_less_than_an_eighth_is_saved_at_the_source) {
  SetMaker set;
  set.add_pack("p");
  add_zipped(set, "deflated", kProse, 8);
  set.add("noise", noise(7 * kProse.size(), 1));
  EXPECT_EQ(chosen_for(set), "raw");
  set.layout.packs.back().assets.pop_back();
  set.add("less-noise", noise(6 * kProse.size(), 1));
  EXPECT_EQ(chosen_for(set), "lz4");
}

TEST(ChosenCodec, is_raw_for_what_is_deflated_in_vain) {
  SetMaker set;
  set.add_pack("p");
  add_zipped(set, "noise", noise(90'000, 1), 8);
  set.add("prose", std::string(4000, 'x'));
  EXPECT_EQ(chosen_for(set), "raw");
}

TEST(ChosenCodec, is_of_each_pack_by_itself) {
  SetMaker set;
  set.add_pack("p");
  set.add("loose", kProse);
  set.add_pack("q");
  add_zipped(set, "deflated", kProse, 8);
  const TestFolder folder;
  const auto packs = write_pack_set(set.layout, {.codec = std::nullopt}, folder.path("set"));
  ASSERT_TRUE(packs) << packs.error().message;
  EXPECT_EQ((*packs)[0].saved_bytes, 0);
  EXPECT_GT((*packs)[1].saved_bytes, 30'000);
}

TEST(ChosenCodec, of_an_archive_that_changed_is_an_error_that_names_it) {
  SetMaker set;
  set.add_pack("p");
  add_zipped(set, "deflated", kProse, 8);
  ContentReader content(set.layout.sources);
  const LaidAsset& asset = set.layout.packs.back().assets.back();
  EXPECT_LT(content.stored_bytes(ref_of(asset)).value_or(0), 1000);
  std::filesystem::resize_file(std::string(set.layout.sources.back().path), 60);
  ContentReader changed(set.layout.sources);
  const auto found = changed.stored_bytes(ref_of(asset));
  ASSERT_FALSE(found);
  EXPECT_NE(found.error().message.find("zip-"), std::string::npos) << found.error().message;
}

}  // namespace
}  // namespace seekless
