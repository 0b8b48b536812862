#include "runtime/pack.h"

#include <algorithm>
#include <functional>
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

using format::PackSection;
using testing::HasSubstr;

// Makes two small assets, one over three blocks, an empty one, one equal to the first, and a last
// one.
std::string sound_pack(format::Codec codec = format::Codec::raw) {
  SetMaker set;
  set.add_pack("p");
  set.add("a", "first");
  set.add("none", "");
  set.add("b", noise(1000, 1));
  set.add("large", codec == format::Codec::raw ? noise(2 * kBlock + 100, 2)
                                               : std::string(2 * kBlock + 100, 'x'));
  set.add("again", "first");
  set.add("c", noise(2000, 3)).alignment_bytes = 256;
  set.write({.codec = codec});
  return bytes_of_file(set.file("p.skl"));
}

// Makes two compressed blocks of four frames each. Each frame is at least half noise.
std::string framed_pack() {
  SetMaker set(4 * kBlock);
  set.add_pack("p");
  std::string half;
  for (uint64_t i = 0; i < 8; ++i) half += noise(kBlock / 2, i) + std::string(kBlock / 2, 'x');
  set.add("large", half);
  set.write({.codec = format::Codec::lz4});
  return bytes_of_file(set.file("p.skl"));
}

class Opened {
 public:
  explicit Opened(std::string bytes) {
    files.files["p.skl"] = std::move(bytes);
    pack = Pack::open(std::move(*files.open("p.skl")));
  }
  MemoryFiles files;
  Result<std::unique_ptr<Pack>> pack;
};

skl_result result_of(const Opened& opened) {
  return opened.pack ? SKL_OK : opened.pack.error().result;
}

std::string read_whole(const Pack& pack, const format::Asset& asset) {
  TableMemory buffer(pack.header().block_bytes);
  TableMemory scratch(pack.header().block_bytes);
  std::string content;
  uint64_t at = offset_in_block(asset);
  for (uint32_t i = 0; i < pack.block_count(asset); ++i, at = 0) {
    const auto raw = pack.read_block(asset.block + i, buffer.bytes(), scratch.bytes());
    if (!raw) return raw.error().message;
    const auto part =
        raw->subspan(at, std::min<uint64_t>(raw->size() - at, asset.size_bytes - content.size()));
    content.append(reinterpret_cast<const char*>(part.data()), part.size());
  }
  return content;
}

TEST(Pack, holds_hashes_once_one_was_asked_for) {
  const Opened opened(sound_pack());
  ASSERT_TRUE(opened.pack);
  const Pack& pack = **opened.pack;
  EXPECT_FALSE(pack.holds_hashes());
  EXPECT_TRUE(pack.content_hash(0));
  EXPECT_TRUE(pack.holds_hashes());
  const size_t reads = opened.files.reads.size();
  EXPECT_TRUE(pack.content_hash(1));
  EXPECT_EQ(opened.files.reads.size(), reads);
}

TEST(Pack, finds_each_asset_by_its_path_and_reads_it) {
  for (const auto codec : {format::Codec::raw, format::Codec::lz4}) {
    Opened opened(sound_pack(codec));
    ASSERT_TRUE(opened.pack) << opened.pack.error().message;
    const Pack& pack = **opened.pack;
    EXPECT_EQ(pack.has_compressed_blocks(), codec == format::Codec::lz4);
    EXPECT_EQ(pack.assets().size(), 6U);
    for (const char* path : {"a", "b", "large", "again", "c", "none"}) {
      const uint32_t index = pack.find(hash_asset_path(path, pack.header().hash_seed, false));
      ASSERT_LT(index, pack.assets().size()) << path;
      EXPECT_EQ(pack.path(index), path);
    }
    const auto content = [&](const char* path) {
      return read_whole(pack, pack.assets()[pack.find(hash_asset_path(path, 0, false))]);
    };
    EXPECT_EQ(content("a"), "first");
    EXPECT_EQ(content("again"), "first");
    EXPECT_EQ(content("none"), "");
    EXPECT_EQ(content("c"), noise(2000, 3));
    EXPECT_EQ(content("large").size(), 2 * kBlock + 100);
    EXPECT_EQ(pack.find(hash_asset_path("d", 0, false)), format::kEmptySlot);
  }
}

TEST(Pack, empty_assets_come_first_and_equal_ones_side_by_side) {
  Opened opened(sound_pack());
  ASSERT_TRUE(opened.pack);
  std::vector<std::string> paths;
  for (uint32_t i = 0; i < 6; ++i) paths.push_back(*(*opened.pack)->path(i));
  EXPECT_THAT(paths, testing::ElementsAre("none", "a", "again", "b", "large", "c"));
}

TEST(Pack, a_pack_of_empty_assets_alone_has_no_block) {
  SetMaker set;
  set.add_pack("p");
  set.add("x", "");
  set.add("y", "");
  for (const auto codec : {format::Codec::raw, format::Codec::lz4}) {
    set.write({.codec = codec});
    Opened opened(bytes_of_file(set.file("p.skl")));
    ASSERT_TRUE(opened.pack) << opened.pack.error().message;
    EXPECT_TRUE((*opened.pack)->blocks().empty());
    EXPECT_EQ((*opened.pack)->path(1), "y");
  }
}

TEST(Pack, a_pack_without_assets_can_be_opened) {
  SetMaker set;
  set.add_pack("p");
  set.write();
  Opened opened(bytes_of_file(set.file("p.skl")));
  ASSERT_TRUE(opened.pack) << opened.pack.error().message;
  EXPECT_EQ((*opened.pack)->find(12345), format::kEmptySlot);
}

TEST(Pack, refuses_every_truncation_and_any_addition) {
  const std::string bytes = sound_pack();
  for (size_t size = 0; size < bytes.size(); size += size < 20000 ? 1 : 997)
    ASSERT_EQ(result_of(Opened(bytes.substr(0, size))), SKL_DAMAGED) << size;
  EXPECT_EQ(result_of(Opened(bytes + '\0')), SKL_DAMAGED);
}

TEST(Pack, refuses_other_major_versions_and_unknown_required_flags) {
  Forge forge(sound_pack());
  for (const uint16_t major : {uint16_t{1}, uint16_t{3}}) {
    forge.header().major = major;
    const Opened other(forge.sealed());
    ASSERT_EQ(result_of(other), SKL_UNSUPPORTED);
    EXPECT_THAT(other.pack.error().message,
                HasSubstr("expected format version 2, found " + std::to_string(major) + ".0"));
  }
  forge.header().major = format::kMajor;
  forge.header().required_flags = 2;
  EXPECT_EQ(result_of(Opened(forge.sealed())), SKL_UNSUPPORTED);
}

TEST(Pack, ignores_a_newer_minor_version_and_unknown_optional_flags) {
  Forge forge(sound_pack());
  forge.header().minor = 7;
  forge.header().optional_flags = UINT32_MAX;
  EXPECT_EQ(result_of(Opened(forge.sealed())), SKL_OK);
}

TEST(Pack, a_forged_file_without_changes_is_sound) {
  EXPECT_EQ(result_of(Opened(Forge(sound_pack()).sealed())), SKL_OK);
}

struct Damage {
  const char* what;
  std::function<void(Forge&)> commit;
};

void expect_damaged(const std::string& bytes, const std::vector<Damage>& crimes) {
  for (const Damage& crime : crimes) {
    Forge forge(bytes);
    crime.commit(forge);
    const Opened opened(forge.sealed());
    ASSERT_EQ(result_of(opened), SKL_DAMAGED) << crime.what;
    EXPECT_THAT(opened.pack.error().message, HasSubstr("p.skl: ")) << crime.what;
  }
}

TEST(Pack, refuses_headers_that_lie) {
  expect_damaged(
      sound_pack(),
      {{"magic", [](Forge& f) { f.header().magic[1] = 'X'; }},
       {"kind", [](Forge& f) { f.header().kind = format::FileKind{3}; }},
       {"file size", [](Forge& f) { f.header().file_bytes += 4096; }},
       {"section count", [](Forge& f) { f.header().section_count = 4; }},
       {"section count beyond the array", [](Forge& f) { f.header().section_count = 4000; }},
       {"block size 0", [](Forge& f) { f.header().block_bytes = 0; }},
       {"block size odd", [](Forge& f) { f.header().block_bytes += 4096; }},
       {"block size huge", [](Forge& f) { f.header().block_bytes = 1U << 31; }},
       {"reserved", [](Forge& f) { f.header().reserved_zero = 1; }},
       {"reserved at the end", [](Forge& f) { f.header().more_reserved_zero[55] = 1; }},
       {"unused section", [](Forge& f) { f.header().sections[11].checksum = 1; }},
       {"section moved", [](Forge& f) { f.section(PackSection::assets).offset_bytes += 64; }},
       {"section in the header", [](Forge& f) { f.section(PackSection::blocks).offset_bytes = 0; }},
       {"section over the end",
        [](Forge& f) { f.section(PackSection::names).size_bytes = UINT64_MAX - 511; }},
       {"records over the section",
        [](Forge& f) { f.section(PackSection::assets).record_count = UINT64_MAX / 24 + 2; }},
       {"hashes fewer", [](Forge& f) { --f.section(PackSection::hashes).record_count; }},
       {"blocks more", [](Forge& f) { f.section(PackSection::blocks).record_count += 2; }}});
}

TEST(Pack, refuses_blocks_that_lie) {
  const std::string raw = sound_pack();
  const std::string lz4 = sound_pack(format::Codec::lz4);
  expect_damaged(raw,
                 {{"offset", [](Forge& f) { f.block(1).offset_bytes += 4096; }},
                  {"offset odd", [](Forge& f) { f.block(0).offset_bytes += 1; }},
                  {"offset huge", [](Forge& f) { f.block(0).offset_bytes = UINT64_MAX; }},
                  {"nothing stored", [](Forge& f) { f.block(0).stored_bytes = 0; }},
                  {"other lengths", [](Forge& f) { f.block(0).raw_bytes += 1; }},
                  {"too long",
                   [](Forge& f) {
                     f.block(0).raw_bytes = UINT32_MAX;
                     f.block(0).stored_bytes = UINT32_MAX;
                   }},
                  {"frames of a raw pack", [](Forge& f) { f.block(1).first_frame = 1; }},
                  {"first asset beyond", [](Forge& f) { f.block(3).first_asset = 7; }},
                  {"first asset falls", [](Forge& f) { f.block(1).first_asset = 0; }},
                  {"first asset of another block", [](Forge& f) { f.block(1).first_asset = 3; }}});
  expect_damaged(lz4, {{"stored as long as raw",
                        [](Forge& f) { f.block(1).stored_bytes = f.block(1).raw_bytes; }},
                       {"raw too long", [](Forge& f) { f.block(1).raw_bytes = kBlock + 1; }}});
}

TEST(Pack, refuses_frames_that_lie) {
  expect_damaged(
      framed_pack(),
      {{"none for a block", [](Forge& f) { f.block(1).first_frame = 5; }},
       {"beyond the table", [](Forge& f) { f.block(1).first_frame = UINT32_MAX; }},
       {"fewer records", [](Forge& f) { f.section(PackSection::frames).record_count -= 4; }},
       {"none at all", [](Forge& f) { f.section(PackSection::frames).record_count = 0; }},
       {"later in the block", [](Forge& f) { f.frame(0).offset_bytes = 1; }},
       {"over another", [](Forge& f) { --f.frame(2).offset_bytes; }},
       {"nothing stored", [](Forge& f) { f.frame(1).stored_bytes = 0; }},
       {"more than raw", [](Forge& f) { f.frame(0).stored_bytes = kBlock + 1; }},
       {"beyond the block", [](Forge& f) { ++f.frame(3).stored_bytes; }},
       {"size of frames 0", [](Forge& f) { f.header().frame_bytes = 0; }},
       {"size of frames odd", [](Forge& f) { ++f.header().frame_bytes; }},
       {"frames too short", [](Forge& f) { f.header().frame_bytes /= 2; }},
       {"frames longer than blocks", [](Forge& f) { f.header().frame_bytes *= 8; }},
       {"frames of the largest size",
        [](Forge& f) { f.header().frame_bytes = UINT32_MAX - 4095; }}});
  expect_damaged(sound_pack(), {{"size of frames without any",
                                 [](Forge& f) { f.header().frame_bytes = kBlock; }}});
}

TEST(Pack, refuses_assets_that_lie) {
  const auto place = [](uint32_t offset, uint32_t alignment_log2) {
    return offset | alignment_log2 << format::kOffsetBits;
  };
  // The order is: none, a, again, b, large, c.
  expect_damaged(
      sound_pack(),
      {{"block beyond", [](Forge& f) { f.asset(5).block = 4; }},
       {"block huge", [](Forge& f) { f.asset(5).block = UINT32_MAX; }},
       {"longer than its block", [](Forge& f) { f.asset(3).size_bytes = 2000; }},
       {"longer than all", [](Forge& f) { f.asset(4).size_bytes = UINT64_MAX; }},
       {"longer than all blocks", [](Forge& f) { f.asset(4).size_bytes = 4 * kBlock; }},
       {"over another", [](Forge& f) { f.asset(2).size_bytes = 65; }},
       {"within another", [](Forge& f) { f.asset(2).size_bytes = 4; }},
       {"not sorted", [](Forge& f) { std::swap(f.asset(3), f.asset(4)); }},
       {"not aligned", [&](Forge& f) { f.asset(3).place = place(64, 7); }},
       {"alignment too large", [&](Forge& f) { f.asset(1).place = place(0, 13); }},
       {"reserved bits", [](Forge& f) { f.asset(1).place |= 1U << 31; }},
       {"an empty one between equal ones", [](Forge& f) { std::swap(f.asset(0), f.asset(1)); }},
       {"an empty one beyond the blocks", [](Forge& f) { f.asset(0).block = 9; }}});
}

TEST(Pack, refuses_slots_that_lie) {
  const auto slot = [](Forge& f, size_t i) -> format::Slot& {
    return f.record<format::Slot>(PackSection::slots, i);
  };
  expect_damaged(sound_pack(), {{"beyond",
                                 [&](Forge& f) {
                                   size_t used = 0;
                                   while (slot(f, used).index == format::kEmptySlot) ++used;
                                   slot(f, used).index = 6;
                                 }},
                                {"none empty",
                                 [&](Forge& f) {
                                   for (size_t i = 0; i < 9; ++i) slot(f, i).index = 0;
                                 }},
                                {"none used", [&](Forge& f) {
                                   for (size_t i = 0; i < 9; ++i)
                                     slot(f, i).index = format::kEmptySlot;
                                 }}});
}

// Otherwise a search for a missing path could look at every slot: a pack that is slow on purpose.
TEST(Pack, refuses_slots_in_which_a_search_would_be_long) {
  SetMaker set;
  set.add_pack("p");
  for (int i = 0; i < 6000; ++i) set.add("asset-" + std::to_string(i), "");
  set.write();
  const std::string bytes = bytes_of_file(set.file("p.skl"));
  EXPECT_EQ(result_of(Opened(bytes)), SKL_OK);
  expect_damaged(
      bytes,
      {{"all in one row", [](Forge& f) {
          const uint64_t count = f.section(PackSection::slots).record_count;
          for (uint32_t i = 0; i < count; ++i)
            f.record<format::Slot>(PackSection::slots, i) = {i < 6000 ? i : format::kEmptySlot, 0};
        }}});
}

TEST(Pack, refuses_names_that_lie) {
  // The section as numbers of 32 bits: the header's two, then the first chunk's offset, stored and
  // raw bytes.
  const std::vector<Damage> crimes = {
      {"chunk count", [](Forge& f) { f.record<uint32_t>(PackSection::names, 0) = 2; }},
      {"names per chunk", [](Forge& f) { f.record<uint32_t>(PackSection::names, 1) = 255; }},
      {"offset", [](Forge& f) { f.record<uint32_t>(PackSection::names, 2) = UINT32_MAX; }},
      {"stored", [](Forge& f) { f.record<uint32_t>(PackSection::names, 3) = UINT32_MAX; }},
      {"raw", [](Forge& f) { f.record<uint32_t>(PackSection::names, 4) = UINT32_MAX; }},
      {"raw short", [](Forge& f) { --f.record<uint32_t>(PackSection::names, 4); }},
      {"a name longer than the rest", [](Forge& f) {
         f.record<uint8_t>(PackSection::names, f.record<uint32_t>(PackSection::names, 2) + 1) = 99;
       }}};
  for (const Damage& crime : crimes) {
    Forge forge(sound_pack());
    crime.commit(forge);
    const Opened opened(forge.sealed());
    ASSERT_TRUE(opened.pack) << crime.what;  // names are read when they are wanted
    const auto path = (*opened.pack)->path(0);
    ASSERT_FALSE(path) << crime.what;
    EXPECT_EQ(path.error().result, SKL_DAMAGED) << crime.what;
  }
}

TEST(Pack, refuses_paths_that_lead_out_of_a_folder) {
  SetMaker set;
  set.add_pack("p");
  set.add("ab/cd", "");
  set.write();
  for (const char* path : {"../cd", "/b/cd", "ab//d", "ab/..", "c:/cd", "ab\\cd", "ab\ncd"}) {
    std::string bytes = bytes_of_file(set.file("p.skl"));
    bytes.replace(bytes.find("ab/cd"), 5, path);
    const Opened opened(Forge(bytes).sealed());
    ASSERT_TRUE(opened.pack);
    EXPECT_FALSE((*opened.pack)->path(0)) << path;
  }
}

TEST(Pack, an_lz4_block_that_decodes_to_less_is_damaged) {
  Forge forge(sound_pack(format::Codec::lz4));
  --forge.block(1).raw_bytes;
  // The asset over it no longer fits then; the last block may shrink.
  Opened opened(forge.sealed());
  EXPECT_EQ(result_of(opened), SKL_DAMAGED);

  Forge other(sound_pack(format::Codec::lz4));
  const format::Block block = other.block(1);
  std::string bytes = other.sealed();
  for (uint32_t i = 0; i < block.stored_bytes; ++i) bytes[block.offset_bytes + i] = '\xff';
  Opened broken(Forge(bytes).sealed());
  ASSERT_TRUE(broken.pack);
  TableMemory buffer(kBlock);
  TableMemory scratch(kBlock);
  const auto raw = (*broken.pack)->read_block(1, buffer.bytes(), scratch.bytes());
  ASSERT_FALSE(raw);
  EXPECT_THAT(raw.error().message, HasSubstr("block 1"));
}

TEST(Pack, a_block_that_comes_wrong_once_is_read_again) {
  for (const format::Codec codec : {format::Codec::raw, format::Codec::lz4}) {
    Opened opened(sound_pack(codec));
    ASSERT_TRUE(opened.pack);
    const Pack& pack = **opened.pack;
    TableMemory buffer(kBlock);
    TableMemory scratch(kBlock);
    const auto read = [&] { return pack.read_block(1, buffer.bytes(), scratch.bytes()); };
    const auto right = read();
    ASSERT_TRUE(right);
    const std::vector<std::byte> content(right->begin(), right->end());
    opened.files.faults = {{"p.skl", pack.blocks()[1].offset_bytes + 3, 1, true}};
    const auto again = read();
    ASSERT_TRUE(again);
    EXPECT_TRUE(std::ranges::equal(*again, content));
    opened.files.faults = {{"p.skl", pack.blocks()[1].offset_bytes + 3, kForever, true}};
    const auto wrong = read();
    ASSERT_FALSE(wrong);
    EXPECT_EQ(wrong.error().result, SKL_DAMAGED);
    EXPECT_EQ(wrong.error().offset_bytes, pack.blocks()[1].offset_bytes);
    EXPECT_THAT(wrong.error().message, HasSubstr("checksum"));
  }
}

// No asset lies in the padding, but a wrong byte there shows that the drive or the memory fails.
TEST(Pack, the_padding_of_a_compressed_block_is_checked) {
  Opened opened(sound_pack(format::Codec::lz4));
  ASSERT_TRUE(opened.pack);
  const Pack& pack = **opened.pack;
  const format::Block& block = pack.blocks()[1];
  ASSERT_TRUE(is_compressed(block));
  ASSERT_LT(block.stored_bytes, stored_extent_bytes(block));
  opened.files.faults = {
      {"p.skl", block.offset_bytes + stored_extent_bytes(block) - 1, kForever, true}};
  TableMemory buffer(kBlock);
  TableMemory scratch(kBlock);
  EXPECT_FALSE(pack.read_block(1, buffer.bytes(), scratch.bytes()));
}

TEST(Pack, an_index_that_cannot_be_read_is_an_io_error) {
  MemoryFiles files;
  files.files["p.skl"] = sound_pack();
  for (const uint64_t offset : {0U, 511U, 512U, 900U}) {
    files.faults = {{"p.skl", offset}};
    const auto pack = Pack::open(std::move(*files.open("p.skl")));
    ASSERT_FALSE(pack) << offset;
    EXPECT_EQ(pack.error().result, SKL_IO);
    EXPECT_EQ(pack.error().os_error, EIO);
  }
}

TEST(Pack, opening_reads_forward_and_no_data) {
  Opened opened(sound_pack());
  ASSERT_TRUE(opened.pack);
  uint64_t at = 0;
  for (const MemoryFiles::Read& read : opened.files.reads) {
    EXPECT_GE(read.offset_bytes, at);
    at = read.offset_bytes + read.length_bytes;
  }
  EXPECT_LE(at, (*opened.pack)->header().sections[4].offset_bytes);
}

}  // namespace
}  // namespace seekless::runtime
