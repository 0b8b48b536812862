// Reads assets as plain files: one large file with an index in memory, or a folder.
#include <cerrno>
#include <cstring>
#include <fstream>
#include <unordered_map>

#include <fcntl.h>
#include <unistd.h>

#include "integration/runtime/source.h"

namespace seekless {
namespace {

class Descriptor {
 public:
  explicit Descriptor(const std::string& path)
      : value_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (value_ >= 0) ::close(value_);
  }
  int get() const { return value_; }

 private:
  int value_;
};

struct Range {
  off_t offset_bytes = 0;
  size_t size_bytes = 0;
};
using Index = std::unordered_map<std::string, Range>;

Index load_index(const std::string& path) {
  Index index;
  std::ifstream lines(path);
  Range range;
  std::string name;
  while (lines >> range.offset_bytes >> range.size_bytes && lines.get() == ' ' &&
         std::getline(lines, name))
    index[name] = range;
  return index;
}

class IndexedReader final : public Reader {
 public:
  IndexedReader(const Index& index, int file) : index_(index), file_(file) {}

  int64_t read(const std::string& path, std::span<char> into) override {
    const auto found = index_.find(path);
    if (found == index_.end() || found->second.size_bytes > into.size()) return -1;
    return ::pread(file_, into.data(), found->second.size_bytes, found->second.offset_bytes);
  }

 private:
  const Index& index_;
  int file_;
};

class Indexed final : public AssetSource {
 public:
  explicit Indexed(const std::string& place) : index_(load_index(place + ".index")), file_(place) {
    if (file_.get() < 0 || index_.empty()) die(place, std::strerror(errno));
  }
  std::unique_ptr<Reader> reader() override {
    return std::make_unique<IndexedReader>(index_, file_.get());
  }

 private:
  Index index_;
  Descriptor file_;
};

class FolderReader final : public Reader {
 public:
  explicit FolderReader(const std::string& place) : place_(place + "/") {}

  int64_t read(const std::string& path, std::span<char> into) override {
    const Descriptor file(place_ + path);
    size_t done = 0;
    ssize_t got = 1;
    while (got > 0 && done < into.size()) {
      got = ::read(file.get(), into.data() + done, into.size() - done);
      if (got > 0) done += static_cast<size_t>(got);
    }
    return got < 0 ? -1 : static_cast<int64_t>(done);
  }

 private:
  std::string place_;
};

class Folder final : public AssetSource {
 public:
  explicit Folder(std::string place) : place_(std::move(place)) {}
  std::unique_ptr<Reader> reader() override { return std::make_unique<FolderReader>(place_); }

 private:
  std::string place_;
};

}  // namespace

std::unique_ptr<AssetSource> open_indexed(const std::string& place) {
  return std::make_unique<Indexed>(place);
}

std::unique_ptr<AssetSource> open_folder(const std::string& place) {
  return std::make_unique<Folder>(place);
}

}  // namespace seekless
