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

  // Returns the file with all checksums corrected that can be.
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

  void seal_blocks() {
    const format::Section table = section(format::PackSection::blocks);
    if (!lies_within(table.offset_bytes, table.size_bytes) || table.offset_bytes % 8 != 0) return;
    const uint64_t count = std::min(table.record_count, table.size_bytes / sizeof(format::Block));
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
