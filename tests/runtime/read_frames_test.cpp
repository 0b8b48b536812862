// Tests reads of parts of compressed packs: which bytes they read, and that they find all damage in
// them.
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/decoded_frames.h"
#include "runtime/read_asset.h"
#include "tests/pack/set_maker.h"
#include "tests/runtime/memory_files.h"

namespace seekless::runtime {
namespace {

using testing::HasSubstr;

constexpr uint64_t kFrame = format::kDefaultFrameBytes;
constexpr uint32_t kFramesOfBlock = 4;

// Two blocks of four frames and one of one; each frame is half noise.
std::string content_of_frames() {
  std::string content;
  for (uint64_t i = 0; i < 9; ++i) content += noise(kFrame / 2, i) + std::string(kFrame / 2, 'x');
  return content;
}

class ReadFrames : public testing::Test {
 protected:
  ReadFrames() {
    SetMaker set(kFramesOfBlock * kFrame);
    set.add_pack("p");
    set.add("large", content);
    set.write({.codec = format::Codec::lz4});
    files.files["p.skl"] = bytes_of_file(set.file("p.skl"));
    pack = std::move(*Pack::open(std::move(*files.open("p.skl"))));
    EXPECT_EQ(pack->frames().size(), 9U);
  }

  // Returns the bytes, or the error's message.
  std::string read(uint64_t offset_bytes, uint64_t length_bytes, DecodedFrames* decoded = nullptr) {
    files.reads.clear();
    std::string into(length_bytes, '?');
    const auto done =
        read_asset({pack.get(), 0}, offset_bytes, std::as_writable_bytes(std::span(into)), decoded);
    return done ? into : done.error().message;
  }
  bool reads_right(uint64_t offset_bytes, uint64_t length_bytes, DecodedFrames* decoded = nullptr) {
    return read(offset_bytes, length_bytes, decoded) == content.substr(offset_bytes, length_bytes);
  }
  uint64_t bytes_read() const {
    uint64_t bytes = 0;
    for (const MemoryFiles::Read& each : files.reads) bytes += each.length_bytes;
    return bytes;
  }
  // Returns where the frame begins in the file; it is counted over all blocks.
  uint64_t offset_of(uint32_t frame) const {
    return pack->blocks()[frame / kFramesOfBlock].offset_bytes + pack->frames()[frame].offset_bytes;
  }

  const std::string content = content_of_frames();
  MemoryFiles files;
  std::unique_ptr<Pack> pack;
  BlockPool pool{64 * kFrame};
  DecodedFrames kept{pool, Memory()};
};

TEST_F(ReadFrames, any_part_is_as_it_was_packed) {
  for (const uint64_t offset : {uint64_t{0}, kFrame - 1, kFrame, 4 * kFrame - 7, 5 * kFrame + 3})
    for (const uint64_t length : {uint64_t{1}, uint64_t{4096}, kFrame, 3 * kFrame + 11})
      for (DecodedFrames* decoded : {static_cast<DecodedFrames*>(nullptr), &kept})
        EXPECT_TRUE(reads_right(offset, length, decoded)) << offset << " " << length;
  EXPECT_TRUE(reads_right(0, content.size(), &kept));
}

TEST_F(ReadFrames, only_the_frames_of_the_part_are_read_and_in_one_go) {
  EXPECT_TRUE(reads_right(5 * kFrame + 100, 4096));
  ASSERT_EQ(files.reads.size(), 1U);
  EXPECT_EQ(files.reads[0].offset_bytes, offset_of(5));
  EXPECT_EQ(files.reads[0].length_bytes, pack->frames()[5].stored_bytes);
  EXPECT_TRUE(reads_right(4 * kFrame + 100, 2 * kFrame));
  ASSERT_EQ(files.reads.size(), 1U);
  EXPECT_EQ(files.reads[0].offset_bytes, offset_of(4));
}

TEST_F(ReadFrames, a_frame_is_decoded_as_far_as_needed_and_then_wholly) {
  EXPECT_TRUE(reads_right(kFrame + 1000, 100, &kept));
  EXPECT_EQ(kept.find(pack->id(), 1, 1101), nullptr);
  EXPECT_TRUE(reads_right(kFrame + 500, 600, &kept));
  EXPECT_EQ(bytes_read(), 0U) << "as far as that it is kept";
  EXPECT_TRUE(reads_right(kFrame + 2000, 100, &kept));
  EXPECT_EQ(bytes_read(), pack->frames()[1].stored_bytes);
  EXPECT_TRUE(reads_right(2 * kFrame - 100, 100, &kept));
  EXPECT_EQ(bytes_read(), 0U);
}

TEST_F(ReadFrames, kept_frames_at_either_end_are_not_read_again) {
  EXPECT_TRUE(reads_right(100, kFrame - 100, &kept));
  EXPECT_TRUE(reads_right(2 * kFrame, kFrame - 1, &kept));
  EXPECT_TRUE(reads_right(100, 3 * kFrame - 200, &kept));
  EXPECT_EQ(bytes_read(), pack->frames()[1].stored_bytes);
}

TEST_F(ReadFrames, damage_is_found_by_any_part_of_the_frame_and_by_no_other) {
  files.faults = {{"p.skl", offset_of(2) + pack->frames()[2].stored_bytes - 1, kForever, true}};
  EXPECT_THAT(read(2 * kFrame, 1), HasSubstr("frame 2 of block 0 at byte"));
  EXPECT_THAT(read(0, content.size()), HasSubstr("frame 2 of block 0 at byte"));
  EXPECT_TRUE(reads_right(kFrame, kFrame));
  EXPECT_TRUE(reads_right(3 * kFrame, 2 * kFrame));
}

TEST_F(ReadFrames, a_frame_that_comes_wrong_once_is_read_again) {
  files.faults = {{"p.skl", offset_of(6), 1, true}};
  EXPECT_TRUE(reads_right(6 * kFrame, 4096));
  EXPECT_EQ(files.reads.size(), 2U);
}

}  // namespace
}  // namespace seekless::runtime
