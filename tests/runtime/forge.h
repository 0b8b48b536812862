// Changes .skl files as an attacker would: any record may be set to any value, and all checksums
// are corrected, so that only the later checks can refuse them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include <xxhash.h>

#include "runtime/pack_format.h"

namespace seekless {

class Forge {
 public:
  explicit Forge(std::string_view bytes) : bytes_(bytes.begin(), bytes.end()) {}

  bool has_header() const { return bytes_.size() >= sizeof(format::Header); }
  format::Header& header() { return at<format::Header>(0); }

  template <typename Section>
  format::Section& section(Section which) {
    return header().sections[static_cast<size_t>(which)];
  }
  template <typename Record, typename Section>
  Record& record(Section which, size_t index) {
    return at<Record>(section(which).offset_bytes + index * sizeof(Record));
  }
  format::Block& block(size_t index) {
    return record<format::Block>(format::PackSection::blocks, index);
  }
  format::Frame& frame(size_t index) {
    return record<format::Frame>(format::PackSection::frames, index);
  }
  format::Asset& asset(size_t index) {
    return record<format::Asset>(format::PackSection::assets, index);
  }

  // Corrects the checksums of frames, so that reads of parts get past them. sealed() leaves them.
  void seal_frames() {
    if (!has_header() || header().kind != format::FileKind::pack) return;
    const uint64_t block_count = count_of<format::Block>(format::PackSection::blocks);
    const uint64_t frame_count = count_of<format::Frame>(format::PackSection::frames);
    uint64_t number = 0;  // of the frame
    for (uint64_t i = 0; i < block_count && header().frame_bytes > 0; ++i) {
      const format::Block& of = block(i);
      const uint32_t frames = format::frames_in(of.raw_bytes, header().frame_bytes);
      for (uint32_t k = 0; k < frames && number < frame_count; ++k, ++number) {
        format::Frame& one = frame(number);
        if (of.offset_bytes <= bytes_.size() &&
            lies_within(of.offset_bytes + one.offset_bytes, one.stored_bytes))
          one.checksum =
              XXH3_64bits(bytes_.data() + of.offset_bytes + one.offset_bytes, one.stored_bytes);
      }
    }
  }

  // Returns the file with all checksums corrected that can be, except those of frames.
  std::string sealed() {
    if (!has_header()) return {bytes_.begin(), bytes_.end()};
    if (header().kind == format::FileKind::pack) seal_blocks();
    for (format::Section& section : header().sections)
      if (lies_within(section.offset_bytes, section.size_bytes) && section.size_bytes > 0)
        section.checksum = XXH3_64bits(bytes_.data() + section.offset_bytes, section.size_bytes);
    header().checksum = XXH3_64bits(bytes_.data(), offsetof(format::Header, checksum));
    return {bytes_.begin(), bytes_.end()};
  }

 private:
  template <typename Record>
  Record& at(uint64_t offset_bytes) {
    return *reinterpret_cast<Record*>(bytes_.data() + offset_bytes);
  }
  bool lies_within(uint64_t offset_bytes, uint64_t size_bytes) const {
    return offset_bytes <= bytes_.size() && size_bytes <= bytes_.size() - offset_bytes;
  }

  // Returns how many records of the section lie in the file.
  template <typename Record, typename Section>
  uint64_t count_of(Section which) {
    const format::Section table = section(which);
    if (!lies_within(table.offset_bytes, table.size_bytes) || table.offset_bytes % 8 != 0) return 0;
    // What is written into a table mustn't move the table.
    if (table.offset_bytes < sizeof(format::Header)) return 0;
    return std::min(table.record_count, table.size_bytes / sizeof(Record));
  }

  void seal_blocks() {
    const uint64_t count = count_of<format::Block>(format::PackSection::blocks);
    for (uint64_t i = 0; i < count; ++i) {
      const format::Block& of = block(i);
      const uint64_t extent = format::round_up(of.stored_bytes, format::kPageBytes);
      if (lies_within(of.offset_bytes, extent))
        block(i).checksum = XXH3_64bits(bytes_.data() + of.offset_bytes, extent);
    }
  }

  std::vector<char> bytes_;
};

}  // namespace seekless
