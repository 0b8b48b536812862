// Mounts any bytes as a zip. The result must be an error, or assets that lie in valid places and
// can be read.
#include <cstring>
#include <string>
#include <vector>

#include <libdeflate.h>

#include "runtime/asset_path.h"
#include "runtime/open_mount.h"
#include "runtime/zip_mount.h"
#include "tests/fuzz/require.h"

namespace {

using namespace seekless;
using namespace seekless::runtime;

constexpr uint64_t kMaxContentBytes = 8 << 20;  // limit for one entry, so that an input ends soon

void require_message(const Error& error) {
  require(error.result < 0 && !error.message.empty());
}

class InputFile final : public File {
 public:
  explicit InputFile(std::span<const std::byte> bytes) : bytes_(bytes) {}
  const std::string& name() const override { return name_; }
  uint64_t size_bytes() const override { return bytes_.size(); }
  Result<void> read_at(uint64_t offset_bytes, std::span<std::byte> into) const override {
    require(offset_bytes <= bytes_.size() && into.size() <= bytes_.size() - offset_bytes);
    if (!into.empty()) std::memcpy(into.data(), bytes_.data() + offset_bytes, into.size());
    return {};
  }
  void will_need(uint64_t, uint64_t) const override {}

 private:
  const std::string name_ = "fuzz.zip";
  std::span<const std::byte> bytes_;
};

skl_result inflate(void*, const void* source, size_t source_bytes, void* destination,
                   size_t destination_bytes) {
  libdeflate_decompressor* of = libdeflate_alloc_decompressor();
  const auto result = libdeflate_deflate_decompress(of, source, source_bytes, destination,
                                                    destination_bytes, nullptr);
  libdeflate_free_decompressor(of);
  return result == LIBDEFLATE_SUCCESS ? SKL_OK : SKL_DAMAGED;
}

void read_asset_of(const Mount& mount, uint32_t number, uint64_t file_bytes) {
  const auto place = mount.place(number);
  if (!place) return require_message(place.error());
  require(place->size_bytes == mount.size_bytes(number));
  if (place->is_range)
    require(place->offset_bytes <= file_bytes &&
            place->size_bytes <= file_bytes - place->offset_bytes);
  if (place->size_bytes > kMaxContentBytes) return;
  std::vector<std::byte> content(place->size_bytes);
  if (const auto read = mount.read(*place, 0, content); !read) require_message(read.error());
  if (content.empty()) return;
  if (const auto read = mount.read(*place, content.size() - 1, std::span(content).first(1)); !read)
    require_message(read.error());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  const auto mount = open_zip_mount(std::make_unique<InputFile>(bytes), size % 2 == 0,
                                    Inflate{inflate, nullptr}, Memory());
  if (!mount) {
    require_message(mount.error());
    return 0;
  }
  for (uint32_t i = 0; i < (*mount)->asset_count(); ++i) {
    const auto path = (*mount)->path(i);
    require(path && check_asset_path(*path) == PathFault::none);
    require((*mount)->find(*path) != format::kEmptySlot);
    read_asset_of(**mount, i, size);
  }
  if (const auto deletions = read_deletions(**mount, Memory()); !deletions)
    require_message(deletions.error());
  return 0;
}
