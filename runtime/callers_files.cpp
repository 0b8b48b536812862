#include "runtime/callers_files.h"

#include <atomic>
#include <cstddef>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>

#include "runtime/catalog.h"
#include "runtime/structs.h"
#include "runtime/tables.h"

namespace seekless::runtime {
namespace {

// Returns a new device number that no system uses.
uint64_t new_device() {
  static std::atomic<uint64_t> latest = uint64_t{1} << 63;
  return ++latest;
}

// The file is closed when its last user releases it.
struct OpenedFile {
  explicit OpenedFile(const skl_file& from) : file(from) {}
  OpenedFile(const OpenedFile&) = delete;
  OpenedFile& operator=(const OpenedFile&) = delete;
  ~OpenedFile() {
    if (file.close != nullptr) file.close(file.user);
  }
  const skl_file file;
};

class CallersFile final : public File {
 public:
  CallersFile(std::string name, std::shared_ptr<const OpenedFile> opened, uint64_t device)
      : name_(std::move(name)), opened_(std::move(opened)), device_(device) {}

  const std::string& name() const override { return name_; }
  uint64_t size_bytes() const override { return file().size_bytes; }
  Result<void> read_at(uint64_t offset_bytes, std::span<std::byte> into) const override {
    if (offset_bytes > size_bytes() || into.size() > size_bytes() - offset_bytes)
      return std::unexpected(read_error(*this, offset_bytes, into.size(), 0));
    if (file().data != nullptr) {
      std::memcpy(into.data(), static_cast<const std::byte*>(file().data) + offset_bytes,
                  into.size());
      return {};
    }
    const int32_t failure = file().read_at(file().user, offset_bytes, into.data(), into.size());
    if (failure == 0) return {};
    return make_error(SKL_IO,
                      {name_, ": cannot read: its read_at answered ", std::to_string(failure)},
                      failure, offset_bytes);
  }
  void will_need(uint64_t, uint64_t) const override {}
  // Places files far apart; each file is read in the order of its offsets.
  FilePlace place() const override {
    constexpr uint64_t kApartBits = 42;
    return {device_, uint64_t{reinterpret_cast<uintptr_t>(opened_.get())} << kApartBits, false,
            file().data != nullptr};
  }
  std::optional<bool> says_rotational() const override {
    if (file().media == SKL_MEDIA_DETECT) return std::nullopt;
    return file().media == SKL_MEDIA_ROTATIONAL;
  }

 private:
  const skl_file& file() const { return opened_->file; }

  std::string name_;
  std::shared_ptr<const OpenedFile> opened_;
  uint64_t device_;
};

Result<std::unique_ptr<File>> open_file(const std::string& name,
                                        const std::shared_ptr<const OpenedFile>& opened,
                                        uint64_t device) {
  const skl_file& file = opened->file;
  if (file.data == nullptr && file.read_at == nullptr)
    return borrow_file(name, file.descriptor, file.descriptor_offset_bytes, file.size_bytes,
                       opened);
  return std::make_unique<CallersFile>(name, opened, device);
}

class CallersIo final : public FileIo {
 public:
  explicit CallersIo(const skl_file_io& io) : io_(io) {}
  CallersIo(const CallersIo&) = delete;
  CallersIo& operator=(const CallersIo&) = delete;
  ~CallersIo() override {
    if (io_.close != nullptr) io_.close(io_.user);
  }

  Result<std::unique_ptr<File>> open(const std::string& path) const override {
    // The caller's struct may be longer than the one this library knows.
    union Room {
      skl_file file;
      std::byte more[1024];
    };
    Room room = {};
    std::memset(&room, 0, sizeof(room));
    room.file.struct_bytes = sizeof(skl_file);
    const skl_result result = io_.open(io_.user, path.c_str(), &room.file);
    if (result == SKL_OK)
      return open_file(path, std::make_shared<const OpenedFile>(room.file), device_);
    return make_error(
        result < 0 ? result : SKL_INVALID,
        {path, ": cannot open: the caller's skl_file_io answered '", skl_result_name(result), "'"});
  }
  bool is_folder(const std::string& path) const override {
    return open(join({path, "/", kCatalogName})).has_value();
  }

 private:
  const skl_file_io io_;
  const uint64_t device_ = new_device();
};

class SingleFileIo final : public FileIo {
 public:
  SingleFileIo(std::string name, std::shared_ptr<const OpenedFile> opened)
      : name_(std::move(name)), opened_(std::move(opened)) {}
  Result<std::unique_ptr<File>> open(const std::string& path) const override {
    if (path == name_) return open_file(path, opened_, device_);
    return make_error(SKL_NOT_FOUND,
                      {path, ": expected a file that stands alone, found a set's catalog ", name_,
                       "; mount the set by skl_mount, with options.io"});
  }
  bool is_folder(const std::string&) const override { return false; }

 private:
  const std::string name_;
  const std::shared_ptr<const OpenedFile> opened_;
  const uint64_t device_ = new_device();
};

}  // namespace

std::shared_ptr<const FileIo> make_callers_io(const skl_file_io& io) {
  return std::make_shared<CallersIo>(io);
}

std::shared_ptr<const FileIo> make_single_file_io(const std::string& name, const skl_file& file) {
  return std::make_shared<SingleFileIo>(name, std::make_shared<const OpenedFile>(file));
}

}  // namespace seekless::runtime
