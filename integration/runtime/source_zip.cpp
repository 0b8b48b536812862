// Reads assets of a zip through libzip.
#include <zip.h>

#include "integration/runtime/source.h"

namespace seekless {
namespace {

class ZipReader final : public Reader {
 public:
  explicit ZipReader(const std::string& place)
      : archive_(zip_open(place.c_str(), ZIP_RDONLY, nullptr)) {
    if (archive_ == nullptr) die(place, "libzip can't open it");
  }
  ZipReader(const ZipReader&) = delete;
  ZipReader& operator=(const ZipReader&) = delete;
  ~ZipReader() override { zip_discard(archive_); }

  int64_t read(const std::string& path, std::span<char> into) override {
    zip_file_t* file = zip_fopen(archive_, path.c_str(), 0);
    if (file == nullptr) return -1;
    int64_t done = 0;
    // Reads to the end, where libzip compares the checksum.
    for (int64_t got = 1; got > 0;) {
      got = zip_fread(file, into.data() + done, into.size() - static_cast<size_t>(done));
      done = got < 0 ? -1 : done + got;
    }
    zip_fclose(file);
    return done;
  }

 private:
  zip_t* archive_;
};

class Zip final : public AssetSource {
 public:
  explicit Zip(std::string place) : place_(std::move(place)) {}
  std::unique_ptr<Reader> reader() override { return std::make_unique<ZipReader>(place_); }

 private:
  std::string place_;
};

}  // namespace

std::unique_ptr<AssetSource> open_zip(const std::string& place) {
  return std::make_unique<Zip>(place);
}

}  // namespace seekless
