// Makes directories of Valve's VPKs whose data lie in files beside them. See valve_vpk.cpp.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace seekless {

// Describes a file of the set, called NAME.txt.
struct BuiltRecord {
  std::string name;
  uint16_t part = 0;
  uint32_t offset_bytes = 0;
  uint32_t size_bytes = 0;
};

template <typename Number>
void add_number(std::string& bytes, Number value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof(value));
}

inline std::string built_sum(uint32_t part, uint32_t offset_bytes, uint32_t length_bytes) {
  std::string bytes;
  for (const uint32_t value : {part, offset_bytes, length_bytes}) add_number(bytes, value);
  return bytes + std::string(16, static_cast<char>('a' + part % 16));
}

inline std::string built_tree(const std::vector<BuiltRecord>& records) {
  std::string tree("txt\0 \0", 6);
  for (const BuiltRecord& record : records) {
    tree += record.name + '\0';
    add_number(tree, uint32_t{0});  // CRC
    add_number(tree, uint16_t{0});  // length of the first bytes
    add_number(tree, record.part);
    add_number(tree, record.offset_bytes);
    add_number(tree, record.size_bytes);
    add_number(tree, uint16_t{0xFFFF});
  }
  return tree + std::string(3, '\0');
}

inline std::string built_header(uint32_t version, uint32_t tree_bytes, uint32_t checksum_bytes) {
  std::string header("\x34\x12\xAA\x55", 4);
  add_number(header, version);
  add_number(header, tree_bytes);
  if (version == 1) return header;
  for (const uint32_t value : {uint32_t{0}, checksum_bytes, uint32_t{0}, uint32_t{0}})
    add_number(header, value);
  return header;
}

inline std::string built_directory_1(const std::vector<BuiltRecord>& records) {
  const std::string tree = built_tree(records);
  return built_header(1, static_cast<uint32_t>(tree.size()), 0) + tree;
}

// A directory of version 2 without the MD5s at its end; `sums` are checksums of pieces.
inline std::string built_directory_2(const std::vector<BuiltRecord>& records,
                                     std::string_view sums) {
  const std::string tree = built_tree(records);
  return built_header(2, static_cast<uint32_t>(tree.size()), static_cast<uint32_t>(sums.size())) +
         tree + std::string(sums);
}

}  // namespace seekless
