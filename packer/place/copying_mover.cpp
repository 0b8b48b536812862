// Moves files where the file system has no call for it: a copy is written whole beside each, in
// order, which most file systems place one after the other; then it takes the file's name.
#include <algorithm>
#include <array>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/xattr.h>

#include "packer/host/file_stamp.h"
#include "packer/host/files.h"
#include "packer/host/interrupt.h"
#include "packer/host/pending_file.h"
#include "packer/place/movers.h"

namespace seekless {
namespace {

constexpr size_t kCopiedAtOnce = size_t{4} << 20;

Result<void> copy_bytes(const ByteSource& from, const PendingFile& to) {
  std::vector<std::byte> buffer(kCopiedAtOnce);
  for (uint64_t at = 0; at < from.size_bytes(); at += buffer.size()) {
    stop_if_interrupted();
    const auto piece =
        std::span(buffer).first(std::min<uint64_t>(buffer.size(), from.size_bytes() - at));
    if (auto read = from.read_at(at, piece); !read) return read;
    if (auto written = to.write_at(at, piece); !written) return written;
  }
  return {};
}

std::vector<std::pair<std::string, std::string>> attributes_of(const std::string& path) {
  std::vector<std::pair<std::string, std::string>> attributes;
  std::vector<char> names(size_t{64} << 10);
  std::vector<char> value(size_t{64} << 10);
  const ssize_t length = ::listxattr(path.c_str(), names.data(), names.size());
  for (ssize_t at = 0; at < length;) {
    const std::string name = names.data() + at;
    at += static_cast<ssize_t>(name.size()) + 1;
    const ssize_t got = ::getxattr(path.c_str(), name.c_str(), value.data(), value.size());
    if (got >= 0)
      attributes.emplace_back(name, std::string(value.data(), static_cast<size_t>(got)));
  }
  return attributes;
}

class CopyingRoom final : public ReservedRoom {
 public:
  CopyingRoom(std::vector<FileExtents> files, Mover::Warn warn)
      : files_(std::move(files)), warn_(std::move(warn)) {}

  const std::vector<std::vector<Extent>>& places() const override { return places_; }

  Result<bool> move(size_t i) override {
    const std::string& path = files_[i].path;
    struct stat status = {};
    if (::stat(path.c_str(), &status) != 0 || status.st_nlink != 1) {
      warn_(path + ": has several names; it stays where it is");
      return false;
    }
    const auto before = change_stamp_of(path);
    const auto source = open_source(path);
    if (!source) return std::unexpected(source.error());
    auto copy = PendingFile::create(path, (*source)->size_bytes());
    if (!copy) return std::unexpected(copy.error());
    if (auto copied = copy_bytes(**source, *copy); !copied) return std::unexpected(copied.error());
    const auto attributes = attributes_of(path);
    const auto after = change_stamp_of(path);
    if (!before || !after || *before != *after) {
      warn_(path + ": changes meanwhile; it stays where it is");
      return false;
    }
    if (auto done = copy->commit(); !done) return std::unexpected(done.error());
    for (const auto& [name, value] : attributes)
      ::setxattr(path.c_str(), name.c_str(), value.data(), value.size(), 0);
    const std::array<timespec, 2> times = {status.st_atim, status.st_mtim};
    ::utimensat(AT_FDCWD, path.c_str(), times.data(), 0);
    return true;
  }

 private:
  std::vector<FileExtents> files_;
  std::vector<std::vector<Extent>> places_;  // none
  Mover::Warn warn_;
};

class CopyingMover final : public Mover {
 public:
  explicit CopyingMover(Warn warn) : warn_(std::move(warn)) {}
  const char* way() const override {
    return "copied and renamed, as this file system can't move files";
  }
  Result<std::unique_ptr<ReservedRoom>> reserve(std::vector<FileExtents> files) override {
    return std::make_unique<CopyingRoom>(std::move(files), warn_);
  }

 private:
  Warn warn_;
};

}  // namespace

std::unique_ptr<Mover> make_copying_mover(Mover::Warn warn) {
  return std::make_unique<CopyingMover>(std::move(warn));
}

}  // namespace seekless
