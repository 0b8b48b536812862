#include "packer/repack/internal/zip_writer.h"

#include <algorithm>

#include "packer/repack/internal/extra_fields.h"

namespace seekless {
namespace {

using runtime::kZip64EndBytes;
using runtime::kZip64EndSignature;
using runtime::kZip64LocatorSignature;
using runtime::kZipEndSignature;
using runtime::kZipRecordSignature;

constexpr uint16_t kZip64Version = 45;

// Returns 0xFFFFFFFF for larger values, which go into the zip64 field.
uint64_t narrow(uint64_t value) {
  return std::min<uint64_t>(value, UINT32_MAX);
}

bool is_wide(uint64_t value) {
  return value >= UINT32_MAX;
}

bool has_wide_sizes(const ZipEntry& entry, const WrittenEntry& written) {
  return is_wide(entry.size_bytes) || is_wide(written.stored_bytes);
}

uint16_t version_needed(const ZipEntry& entry, bool is_zip64) {
  return is_zip64 ? std::max(entry.version_needed, kZip64Version) : entry.version_needed;
}

// Appends the fields that local headers and records share, from the version to the sizes.
void append_shared(std::string& out, const ZipEntry& entry, const WrittenEntry& written,
                   uint16_t version, uint64_t stored_bytes, uint64_t size_bytes) {
  append_little_endian(out, version, 2);
  append_little_endian(out, written.flags, 2);
  append_little_endian(out, written.method, 2);
  append_little_endian(out, entry.dos_time, 2);
  append_little_endian(out, entry.dos_date, 2);
  append_little_endian(out, entry.crc32, 4);
  append_little_endian(out, stored_bytes, 4);
  append_little_endian(out, size_bytes, 4);
  append_little_endian(out, entry.raw_name.size(), 2);
}

std::string zip64_field(const std::string& values) {
  std::string field;
  append_little_endian(field, kZip64Field, 2);
  append_little_endian(field, values.size(), 2);
  return field + values;
}

// Returns a field with both sizes, or an empty one.
std::string local_zip64_field(const ZipEntry& entry, const WrittenEntry& written) {
  if (!has_wide_sizes(entry, written)) return {};
  std::string values;
  append_little_endian(values, entry.size_bytes, 8);
  append_little_endian(values, written.stored_bytes, 8);
  return zip64_field(values);
}

// Returns a field with only the needed values, in this order.
std::string record_zip64_field(const ZipEntry& entry, const WrittenEntry& written) {
  std::string values;
  for (const uint64_t value : {entry.size_bytes, written.stored_bytes, written.offset_bytes})
    if (is_wide(value)) append_little_endian(values, value, 8);
  return values.empty() ? values : zip64_field(values);
}

std::string record_extra(const ZipEntry& entry, const WrittenEntry& written) {
  return record_zip64_field(entry, written) + kept_extra(entry.raw_extra).bytes;
}

// Returns the length of the field that aligns the following bytes; 0 if none is needed.
size_t padding_bytes(uint64_t header_end, size_t extra_bytes, uint32_t align_bytes) {
  uint64_t padding = (align_bytes - header_end % align_bytes) % align_bytes;
  while (padding > 0 && padding < kLeastAlignmentFieldBytes) padding += align_bytes;
  return padding <= kMaxExtraBytes - extra_bytes ? static_cast<size_t>(padding) : 0;
}

}  // namespace

void append_little_endian(std::string& out, uint64_t value, size_t bytes) {
  for (size_t i = 0; i < bytes; ++i) out += static_cast<char>(value >> (8 * i) & 0xFFU);
}

std::string local_header(const ZipEntry& entry, const WrittenEntry& written, std::string_view extra,
                         uint64_t at_bytes, uint32_t align_bytes) {
  const KeptExtra kept = kept_extra(extra);
  std::string fields = local_zip64_field(entry, written) + kept.bytes;
  if (fields.size() > kMaxExtraBytes) fields = local_zip64_field(entry, written);
  const uint64_t end = at_bytes + kLocalHeaderBytes + entry.raw_name.size() + fields.size();
  if (align_bytes > 1 && kept.is_well_formed)
    if (const size_t padding = padding_bytes(end, fields.size(), align_bytes); padding > 0)
      fields += alignment_field(padding, align_bytes);
  const bool is_zip64 = has_wide_sizes(entry, written);
  std::string out;
  out.reserve(kLocalHeaderBytes + entry.raw_name.size() + fields.size());
  append_little_endian(out, kLocalHeaderSignature, 4);
  append_shared(out, entry, written, version_needed(entry, is_zip64),
                is_zip64 ? UINT32_MAX : written.stored_bytes,
                is_zip64 ? UINT32_MAX : entry.size_bytes);
  append_little_endian(out, fields.size(), 2);
  out += entry.raw_name;
  return out + fields;
}

uint64_t most_header_bytes(const ZipEntry& entry, uint64_t extra_bytes, uint32_t align_bytes) {
  constexpr uint64_t kLocalZip64FieldBytes = 20;
  return kLocalHeaderBytes + entry.raw_name.size() + kLocalZip64FieldBytes + extra_bytes +
         align_bytes + kLeastAlignmentFieldBytes;
}

std::string data_descriptor(const ZipEntry& entry, const WrittenEntry& written) {
  const size_t width = has_wide_sizes(entry, written) ? 8 : 4;
  std::string out;
  append_little_endian(out, runtime::kZipDescriptorSignature, 4);
  append_little_endian(out, entry.crc32, 4);
  append_little_endian(out, written.stored_bytes, width);
  append_little_endian(out, entry.size_bytes, width);
  return out;
}

void append_record(std::string& out, const ZipEntry& entry, const WrittenEntry& written) {
  const std::string extra = record_extra(entry, written);
  const bool is_zip64 = has_wide_sizes(entry, written) || is_wide(written.offset_bytes);
  append_little_endian(out, kZipRecordSignature, 4);
  append_little_endian(out, entry.version_made_by, 2);
  append_shared(out, entry, written, version_needed(entry, is_zip64), narrow(written.stored_bytes),
                narrow(entry.size_bytes));
  append_little_endian(out, extra.size(), 2);
  append_little_endian(out, entry.raw_comment.size(), 2);
  append_little_endian(out, 0, 2);  // number of the disk, for split archives
  append_little_endian(out, entry.internal_attributes, 2);
  append_little_endian(out, entry.external_attributes, 4);
  append_little_endian(out, narrow(written.offset_bytes), 4);
  out += entry.raw_name;
  out += extra;
  out += entry.raw_comment;
}

bool has_room_for_record(const ZipEntry& entry, const WrittenEntry& written) {
  return record_extra(entry, written).size() <= kMaxExtraBytes;
}

std::string end_records(const ArchiveEnd& end) {
  const bool is_zip64 = end.entry_count > UINT16_MAX || is_wide(end.directory_bytes) ||
                        is_wide(end.directory_offset_bytes);
  std::string out;
  if (is_zip64) {
    append_little_endian(out, kZip64EndSignature, 4);
    append_little_endian(out, kZip64EndBytes - 12, 8);  // bytes that follow
    append_little_endian(out, kZip64Version, 2);
    append_little_endian(out, kZip64Version, 2);
    append_little_endian(out, 0, 8);  // this disk, and the disk with the directory
    append_little_endian(out, end.entry_count, 8);
    append_little_endian(out, end.entry_count, 8);
    append_little_endian(out, end.directory_bytes, 8);
    append_little_endian(out, end.directory_offset_bytes, 8);
    append_little_endian(out, kZip64LocatorSignature, 4);
    append_little_endian(out, 0, 4);
    append_little_endian(out, end.directory_offset_bytes + end.directory_bytes, 8);
    append_little_endian(out, 1, 4);  // number of disks
  }
  append_little_endian(out, kZipEndSignature, 4);
  append_little_endian(out, 0, 4);
  const uint64_t count = std::min<uint64_t>(end.entry_count, UINT16_MAX);
  append_little_endian(out, count, 2);
  append_little_endian(out, count, 2);
  append_little_endian(out, narrow(end.directory_bytes), 4);
  append_little_endian(out, narrow(end.directory_offset_bytes), 4);
  append_little_endian(out, end.comment.size(), 2);
  return out.append(end.comment);
}

}  // namespace seekless
