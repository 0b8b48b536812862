// Makes sound and hostile zip archives byte by byte, for tests.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <libdeflate.h>

#include "packer/host/files.h"

namespace seekless {

inline void put(std::string& out, uint64_t value, size_t bytes) {
  for (size_t i = 0; i < bytes; ++i) out += static_cast<char>(value >> (8 * i));
}

inline std::string extra_field(uint16_t number, std::string_view data) {
  std::string field;
  put(field, number, 2);
  put(field, data.size(), 2);
  return field.append(data);
}

inline uint32_t crc32_of(std::string_view text) {
  return libdeflate_crc32(0, text.data(), text.size());
}

inline std::string deflate(std::string_view text) {
  libdeflate_compressor* compressor = libdeflate_alloc_compressor(6);
  std::string packed(libdeflate_deflate_compress_bound(compressor, text.size()), '\0');
  packed.resize(libdeflate_deflate_compress(compressor, text.data(), text.size(), packed.data(),
                                            packed.size()));
  libdeflate_free_compressor(compressor);
  return packed;
}

struct ZipItem {
  std::string name = {};
  std::string content = {};
  uint16_t method = 0;
  uint16_t flags = 0;
  uint16_t version_made_by = 0x031E;  // 3.0, Unix
  uint32_t external_attributes = 0;
  std::string local_extra = {};
  std::string central_extra = {};
  std::string comment = {};
  bool with_descriptor = false;
  bool with_zip64 = false;  // sizes and offset in the extra field
  // Values for the directory that differ from the truth.
  std::optional<uint32_t> crc = {};
  std::optional<uint32_t> stored = {};
  std::optional<uint32_t> size = {};
  std::optional<uint32_t> offset = {};
  uint16_t disk = 0;
};

struct ZipBuilder {
  std::vector<ZipItem> items = {};
  std::string prefix = {};
  bool offsets_count_prefix = false;
  std::string comment = {};
  std::string trailing = {};
  std::string before_end = {};  // bytes between the directory and the end record
  bool with_zip64_end = false;
  std::optional<uint16_t> count = {};
  std::optional<uint32_t> directory_size = {};
  std::optional<uint32_t> directory_offset = {};
  uint16_t disk = 0;

  // Set by build(): offsets in the file.
  std::vector<uint64_t> header_offsets = {};
  std::vector<uint64_t> data_offsets = {};
  std::vector<uint64_t> record_offsets = {};
  uint64_t directory_at = 0;
  uint64_t end_at = 0;

  std::string build() {
    std::string out = prefix;
    const uint64_t base = offsets_count_prefix ? 0 : prefix.size();
    for (const ZipItem& item : items) put_local(out, item);
    directory_at = out.size();
    for (size_t i = 0; i < items.size(); ++i) put_record(out, items[i], header_offsets[i] - base);
    const uint64_t directory_bytes = out.size() - directory_at;
    out += before_end;
    if (with_zip64_end) put_zip64_end(out, directory_at - base, directory_bytes, base);
    end_at = out.size();
    out += "PK\5\6";
    put(out, disk, 2);
    put(out, 0, 2);
    const uint64_t shown = with_zip64_end ? UINT16_MAX : count.value_or(items.size() & 0xFFFF);
    put(out, shown, 2);
    put(out, shown, 2);
    put(out, with_zip64_end ? UINT32_MAX : directory_size.value_or(directory_bytes), 4);
    put(out, with_zip64_end ? UINT32_MAX : directory_offset.value_or(directory_at - base), 4);
    put(out, comment.size(), 2);
    return out + comment + trailing;
  }

 private:
  static std::string packed(const ZipItem& item) {
    return item.method == 8 ? deflate(item.content) : item.content;
  }

  void put_local(std::string& out, const ZipItem& item) {
    const std::string data = packed(item);
    header_offsets.push_back(out.size());
    const std::string extra =
        item.local_extra + (item.with_zip64 ? extra_field(1, sizes_64(item, data, false, 0)) : "");
    out += "PK\3\4";
    put(out, 20, 2);
    put(out, item.flags | (item.with_descriptor ? 8 : 0), 2);
    put(out, item.method, 2);
    put(out, 0x5A21'6B43, 4);
    put(out, item.with_descriptor ? 0 : crc32_of(item.content), 4);
    put_sizes(out, item, data, item.with_descriptor);
    put(out, item.name.size(), 2);
    put(out, extra.size(), 2);
    out += item.name + extra;
    data_offsets.push_back(out.size());
    out += data;
    if (!item.with_descriptor) return;
    out += "PK\7\10";
    put(out, crc32_of(item.content), 4);
    put(out, data.size(), 4);
    put(out, item.content.size(), 4);
  }

  static void put_sizes(std::string& out, const ZipItem& item, const std::string& data,
                        bool unknown) {
    put(out, item.with_zip64 ? UINT32_MAX : unknown ? 0 : data.size(), 4);
    put(out, item.with_zip64 ? UINT32_MAX : unknown ? 0 : item.content.size(), 4);
  }

  static std::string sizes_64(const ZipItem& item, const std::string& data, bool with_offset,
                              uint64_t offset) {
    std::string sizes;
    put(sizes, item.content.size(), 8);
    put(sizes, data.size(), 8);
    if (with_offset) put(sizes, offset, 8);
    return sizes;
  }

  void put_record(std::string& out, const ZipItem& item, uint64_t offset) {
    const std::string data = packed(item);
    const std::string extra =
        item.central_extra +
        (item.with_zip64 ? extra_field(1, sizes_64(item, data, true, offset)) : "");
    record_offsets.push_back(out.size());
    out += "PK\1\2";
    put(out, item.version_made_by, 2);
    put(out, 20, 2);
    put(out, item.flags | (item.with_descriptor ? 8 : 0), 2);
    put(out, item.method, 2);
    put(out, 0x5A21'6B43, 4);
    put(out, item.crc.value_or(crc32_of(item.content)), 4);
    put(out, item.with_zip64 ? UINT32_MAX : item.stored.value_or(data.size()), 4);
    put(out, item.with_zip64 ? UINT32_MAX : item.size.value_or(item.content.size()), 4);
    put(out, item.name.size(), 2);
    put(out, extra.size(), 2);
    put(out, item.comment.size(), 2);
    put(out, item.disk, 2);
    put(out, 0, 2);
    put(out, item.external_attributes, 4);
    put(out, item.with_zip64 ? UINT32_MAX : item.offset.value_or(offset), 4);
    out += item.name + extra + item.comment;
  }

  void put_zip64_end(std::string& out, uint64_t offset, uint64_t bytes, uint64_t base) const {
    const uint64_t at = out.size();
    out += "PK\6\6";
    put(out, 44, 8);
    put(out, 45, 2);
    put(out, 45, 2);
    put(out, 0, 8);
    put(out, count.value_or(items.size()), 8);
    put(out, count.value_or(items.size()), 8);
    put(out, bytes, 8);
    put(out, offset, 8);
    out += "PK\6\7";
    put(out, 0, 4);
    put(out, at - base, 8);
    put(out, 1, 4);
  }
};

// Orders the archive as Firefox's tools do for archives whose order counts: four bytes that say how
// far to read ahead, the directory, an end record, the entries, and the end record again.
inline std::string with_directory_in_front(ZipBuilder zip) {
  constexpr size_t kEndBytes = 22;
  ZipBuilder plain = zip;
  plain.build();
  const size_t directory_bytes = plain.end_at - plain.directory_at;
  zip.prefix = std::string(4 + directory_bytes + kEndBytes, '\0');
  zip.offsets_count_prefix = true;
  const std::string bytes = zip.build();
  const std::string directory = bytes.substr(zip.directory_at, directory_bytes);
  const std::string entries = bytes.substr(zip.prefix.size(), zip.directory_at - zip.prefix.size());
  std::string end = bytes.substr(zip.end_at);
  std::string place;
  put(place, 4, 4);
  end.replace(16, 4, place);
  std::string out;
  put(out, bytes.size(), 4);
  return out + directory + end + entries + end;
}

inline MemorySource source_of(std::string_view bytes, std::string name = "a.zip") {
  const auto span = std::as_bytes(std::span(bytes));
  return MemorySource(std::move(name), std::vector<std::byte>(span.begin(), span.end()));
}

// Makes an archive of one small and one compressed file.
inline ZipBuilder two_files() {
  return {.items = {{.name = "a.txt", .content = "first"},
                    {.name = "b/c.txt", .content = std::string(1000, 'x'), .method = 8}}};
}

}  // namespace seekless
