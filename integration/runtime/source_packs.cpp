// Reads assets through the runtime, as a game would: found by path each time, then read whole.
#include "integration/runtime/source.h"
#include <seekless.h>

namespace seekless {
namespace {

class PackReader final : public Reader {
 public:
  explicit PackReader(skl_context* context) : context_(context) {}

  int64_t read(const std::string& path, std::span<char> into) override {
    skl_asset asset = 0;
    uint64_t size = 0;
    size_t got = 0;
    if (skl_find(context_, path.c_str(), &asset, &size) != SKL_OK || size > into.size()) return -1;
    if (skl_read(context_, asset, 0, into.data(), size, &got, nullptr) != SKL_OK) return -1;
    return static_cast<int64_t>(got);
  }

 private:
  skl_context* context_;
};

class MappedReader final : public Reader {
 public:
  explicit MappedReader(skl_context* context) : context_(context) {}

  int64_t read(const std::string& path, std::span<char>) override {
    skl_asset asset = 0;
    skl_lease lease = {};
    if (skl_find(context_, path.c_str(), &asset, nullptr) != SKL_OK ||
        skl_map(context_, asset, &lease, nullptr) != SKL_OK)
      return -1;
    const int64_t size = go_through({static_cast<const char*>(lease.data), lease.size_bytes});
    skl_lease_release(&lease);
    return size;
  }

 private:
  skl_context* context_;
};

template <typename PackSetReader>
class Packs final : public AssetSource {
 public:
  explicit Packs(skl_context* context) : context_(context) {}
  Packs(const Packs&) = delete;
  Packs& operator=(const Packs&) = delete;
  ~Packs() override { skl_context_destroy(context_); }
  std::unique_ptr<Reader> reader() override { return std::make_unique<PackSetReader>(context_); }

 private:
  skl_context* context_;
};

skl_context* mounted(const std::string& place) {
  skl_error error = {};
  error.struct_bytes = sizeof error;
  skl_context* context = nullptr;
  if (skl_context_create(nullptr, &context, &error) < 0) die(place, error.message);
  if (skl_mount(context, place.c_str(), nullptr, nullptr, &error) < 0) die(place, error.message);
  return context;
}

}  // namespace

std::unique_ptr<AssetSource> open_packs(const std::string& place) {
  return std::make_unique<Packs<PackReader>>(mounted(place));
}

std::unique_ptr<AssetSource> open_mapped(const std::string& place) {
  return std::make_unique<Packs<MappedReader>>(mounted(place));
}

}  // namespace seekless
