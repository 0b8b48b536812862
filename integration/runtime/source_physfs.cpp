// Reads assets through PhysFS, as the games that use it do: of a zip, or of packs by our archiver.
#include <physfs.h>

#include "integration/runtime/source.h"
#include <seekless_physfs.h>

namespace seekless {
namespace {

const char* last_error() {
  return PHYSFS_getErrorByCode(PHYSFS_getLastErrorCode());
}

class PhysfsReader final : public Reader {
 public:
  int64_t read(const std::string& path, std::span<char> into) override {
    PHYSFS_File* file = PHYSFS_openRead(path.c_str());
    if (file == nullptr) return -1;
    const int64_t got = PHYSFS_readBytes(file, into.data(), into.size());
    PHYSFS_close(file);
    return got;
  }
};

class Physfs final : public AssetSource {
 public:
  explicit Physfs(const std::string& place) {
    if (PHYSFS_init(nullptr) == 0) die("PhysFS", last_error());
    if (PHYSFS_registerArchiver(skl_physfs_archiver()) == 0) die("PhysFS", last_error());
    if (PHYSFS_mount(place.c_str(), nullptr, 1) == 0) die(place, last_error());
  }
  Physfs(const Physfs&) = delete;
  Physfs& operator=(const Physfs&) = delete;
  ~Physfs() override { PHYSFS_deinit(); }
  std::unique_ptr<Reader> reader() override { return std::make_unique<PhysfsReader>(); }
};

}  // namespace

std::unique_ptr<AssetSource> open_physfs(const std::string& place) {
  return std::make_unique<Physfs>(place);
}

}  // namespace seekless
