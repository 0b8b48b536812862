#include "packer/repack/internal/extra_fields.h"

#include <algorithm>

#include "packer/repack/internal/zip_writer.h"
#include "runtime/zip_fields.h"

namespace seekless {
namespace {

constexpr size_t kFieldHeaderBytes = 4;

}  // namespace

KeptExtra kept_extra(std::string_view extra) {
  KeptExtra kept;
  while (extra.size() >= kFieldHeaderBytes) {
    const auto number = load<uint16_t>(bytes_of(extra), 0);
    const size_t length = kFieldHeaderBytes + load<uint16_t>(bytes_of(extra), 2);
    if (length > extra.size()) break;
    if (number != kZip64Field && number != kAlignmentField) kept.bytes += extra.substr(0, length);
    extra.remove_prefix(length);
  }
  if (std::ranges::all_of(extra, [](char c) { return c == 0; })) return kept;
  kept.bytes += extra;
  kept.is_well_formed = false;
  return kept;
}

std::string alignment_field(size_t total_bytes, uint32_t align_bytes) {
  std::string field;
  append_little_endian(field, kAlignmentField, 2);
  append_little_endian(field, total_bytes - kFieldHeaderBytes, 2);
  append_little_endian(field, align_bytes, 2);
  field.resize(total_bytes, '\0');
  return field;
}

}  // namespace seekless
