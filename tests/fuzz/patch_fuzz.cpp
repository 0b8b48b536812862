// Reads any bytes as a patch. The first byte says whether its checksums are corrected first. The
// result must be an error of kind damaged, or a patch whose pieces can be read or are refused.
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include <xxhash.h>

#include "packer/patch/internal/patch_file.h"
#include "packer/patch/set_files.h"
#include "tests/fuzz/require.h"

namespace {

using namespace seekless;

std::vector<std::byte> input(const uint8_t* data, size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size)).subspan(1);
  std::vector<std::byte> patch(bytes.begin(), bytes.end());
  PatchHeader header;
  if (data[0] % 2 == 0 || patch.size() < sizeof(header)) return patch;
  std::memcpy(&header, patch.data(), sizeof(header));
  header.magic = kPatchMagic;
  header.major = kPatchMajor;
  header.patch_bytes = patch.size();
  header.table_offset_bytes =
      sizeof(header) + header.table_offset_bytes % (patch.size() - sizeof(header) + 1);
  const auto tables = std::span(patch).subspan(header.table_offset_bytes);
  header.table_checksum = XXH3_64bits(tables.data(), tables.size());
  header.checksum = XXH3_64bits(&header, offsetof(PatchHeader, checksum));
  std::memcpy(patch.data(), &header, sizeof(header));
  return patch;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const MemorySource file("patch", input(data, size));
  const auto patch = read_patch(file);
  if (!patch) {
    require(patch.error().kind == ErrorKind::damaged && !patch.error().message.empty());
    return 0;
  }
  std::vector<std::byte> piece(kMostPieceBytes);
  std::vector<std::byte> scratch;
  for (const PatchedFile& made : patch->new_files) {
    require(is_set_file_name(made.name));
    uint64_t bytes = made.same_as == kFromPatch ? 0 : made.size_bytes;
    for (const PatchOperation& operation : made.operations) {
      bytes += operation.size_bytes;
      if (operation.file == kFromPatch)
        (void)read_piece(file, operation, std::span(piece).first(operation.size_bytes), scratch);
    }
    require(bytes == made.size_bytes);
  }
  return 0;
}
