// Tests the data that script.js unpacks, with the same steps.
#include "packer/page/internal/picture_packs.h"

#include <gtest/gtest.h>

namespace seekless {
namespace {

class Unpacker {
 public:
  explicit Unpacker(std::string bytes) : bytes_(std::move(bytes)) {}

  std::vector<PreparedRead> all(size_t files) {
    std::vector<uint64_t> ends(files);
    std::vector<PreparedRead> reads;
    PreparedRead read;
    while (at_ < bytes_.size()) {
      const auto flags = static_cast<uint8_t>(bytes_[at_++]);
      read.start_us += number();
      if ((flags & kOtherFile) != 0) read.file = static_cast<uint32_t>(number());
      if ((flags & kOtherThread) != 0) read.thread = static_cast<uint32_t>(number());
      const uint64_t jump = (flags & kJumps) != 0 ? number() : 0;
      read.offset_bytes =
          (flags & kJumpsBack) != 0 ? ends[read.file] - jump : ends[read.file] + jump;
      if ((flags & kOtherLength) != 0) read.length_bytes = number();
      read.has_duration = (flags & kHasDuration) != 0;
      read.duration_us = read.has_duration ? number() : 0;
      ends[read.file] = read.offset_bytes + read.length_bytes;
      reads.push_back(read);
    }
    return reads;
  }

 private:
  uint64_t number() {
    uint64_t value = 0;
    for (int shift = 0;; shift += 7) {
      const auto byte = static_cast<uint8_t>(bytes_.at(at_++));
      value |= uint64_t{byte & 0x7fU} << shift;
      if (byte < 0x80) return value;
    }
  }

  std::string bytes_;
  size_t at_ = 0;
};

void expect_same(const std::vector<PreparedRead>& reads, size_t files) {
  const auto unpacked = Unpacker(pack_reads(reads, files)).all(files);
  ASSERT_EQ(unpacked.size(), reads.size());
  for (size_t i = 0; i < reads.size(); ++i) {
    EXPECT_EQ(unpacked[i].start_us, reads[i].start_us) << i;
    EXPECT_EQ(unpacked[i].has_duration, reads[i].has_duration) << i;
    EXPECT_EQ(unpacked[i].duration_us, reads[i].duration_us) << i;
    EXPECT_EQ(unpacked[i].offset_bytes, reads[i].offset_bytes) << i;
    EXPECT_EQ(unpacked[i].length_bytes, reads[i].length_bytes) << i;
    EXPECT_EQ(unpacked[i].file, reads[i].file) << i;
    EXPECT_EQ(unpacked[i].thread, reads[i].thread) << i;
  }
}

TEST(PackedReads, of_nothing_are_nothing) {
  EXPECT_EQ(pack_reads({}, 0), "");
}

TEST(PackedReads, come_back_as_they_were) {
  expect_same({{.start_us = 5, .offset_bytes = 100, .length_bytes = 50, .file = 1, .thread = 7},
               {.start_us = 5,
                .duration_us = 12345,
                .has_duration = true,
                .offset_bytes = 150,
                .length_bytes = 50,
                .file = 1,
                .thread = 7},
               {.start_us = 300, .offset_bytes = 0, .length_bytes = 1 << 20, .file = 2},
               {.start_us = 301, .has_duration = true, .offset_bytes = 20, .file = 1}},
              3);
}

TEST(PackedReads, keep_the_greatest_numbers) {
  expect_same({{.start_us = kPictureLimit,
                .duration_us = kPictureLimit,
                .has_duration = true,
                .offset_bytes = kPictureLimit,
                .thread = UINT32_MAX},
               {.start_us = kPictureLimit, .offset_bytes = 0, .length_bytes = kPictureLimit},
               {.start_us = kPictureLimit, .offset_bytes = 0, .length_bytes = 1}},
              1);
}

TEST(PackedReads, of_one_file_that_go_on_take_few_bytes) {
  std::vector<PreparedRead> reads;
  for (uint64_t i = 0; i < 1000; ++i)
    reads.push_back({.start_us = i * 100,
                     .duration_us = 30,
                     .has_duration = true,
                     .offset_bytes = i * 4096,
                     .length_bytes = 4096});
  EXPECT_LE(pack_reads(reads, 1).size(), 3 * reads.size() + 2);
}

// The values are from RFC 4648, section 10.
TEST(Base64, is_as_the_standard_has_it) {
  EXPECT_EQ(base64(""), "");
  EXPECT_EQ(base64("f"), "Zg==");
  EXPECT_EQ(base64("fo"), "Zm8=");
  EXPECT_EQ(base64("foo"), "Zm9v");
  EXPECT_EQ(base64("foob"), "Zm9vYg==");
  EXPECT_EQ(base64("\xff\xff\xff"), "////");
}

}  // namespace
}  // namespace seekless
