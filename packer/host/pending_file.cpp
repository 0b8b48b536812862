#include "packer/host/pending_file.h"

#include <cerrno>
#include <filesystem>
#include <mutex>
#include <utility>

#include <fmt/format.h>

#include "packer/host/calls.h"
#include "packer/host/files.h"
#include "packer/host/internal/access.h"
#include "packer/host/interrupt.h"
#include "packer/host/leftovers.h"
#include "packer/host/native_path.h"
#include "packer/host/os_error.h"
#include "packer/host/write_errors.h"
#include "runtime/pack_set.h"

namespace seekless {
namespace {

namespace fs = std::filesystem;

std::string parent_folder(const std::string& path) {
  const std::string parent = text_of_path(path_of_text(path).parent_path());
  return parent.empty() ? "." : parent;
}

std::string name_in_folder(const std::string& path) {
  return text_of_path(path_of_text(path).filename());
}

struct Temporary {
  std::string name;
  int descriptor = -1;
};

// Creates a temporary file beside `path` that nobody else has open.
Result<Temporary> make_temporary(const OpenFolder& folder, const std::string& path,
                                 bool is_private) {
  // A second try is needed only if another process clears the folder at the same moment.
  constexpr int kMostTries = 100;
  for (int i = 0; i < kMostTries; ++i) {
    // The temporary name is short, because the final name may be as long as the file system allows.
    SKL_TRY(const auto name, new_temporary_name());
    Temporary file = {name};
    file.descriptor = calls::create_new(folder, file.name, is_private);
    if (file.descriptor < 0 && errno == EEXIST) continue;
    if (file.descriptor < 0) return failed_call(path, "create", errno, advice_for_writing(errno));
    if (keep_from_clearing(file.descriptor, folder, file.name)) return file;
    calls::close(file.descriptor);
  }
  return failed({.file = path,
                 .expected = "a folder in which a temporary file can be kept",
                 .found = "that another program removes each one",
                 .advice = "run it again when the other program has ended"});
}

}  // namespace

std::string place_of_new(const std::string& path) {
  const fs::path file = path_of_text(path);
  if (file.parent_path().filename() != runtime::kNewPacksFolder) return path;
  return parent_folder(text_of_path(file.parent_path())) + "/" + text_of_path(file.filename());
}

PendingFile::PendingFile(PendingFile&& other) noexcept {
  *this = std::move(other);
}

PendingFile& PendingFile::operator=(PendingFile&& other) noexcept {
  if (this != &other) {
    discard();
    path_ = std::move(other.path_);
    folder_ = std::move(other.folder_);
    temporary_name_ = std::move(other.temporary_name_);
    replaced_ = std::move(other.replaced_);
    descriptor_ = std::exchange(other.descriptor_, -1);
    direct_descriptor_ = std::exchange(other.direct_descriptor_, -1);
    end_bytes_ = other.end_bytes_;
  }
  return *this;
}

PendingFile::~PendingFile() {
  discard();
}

void PendingFile::discard() noexcept {
  if (direct_descriptor_ >= 0) calls::close(std::exchange(direct_descriptor_, -1));
  if (descriptor_ < 0) return;
  // Removes the file first: closing the descriptor ends the lock.
  calls::remove_file(folder_, temporary_name_);
  calls::close(std::exchange(descriptor_, -1));
}

Result<PendingFile> PendingFile::create(std::string path, uint64_t size_bytes,
                                        std::string replaced) {
  SKL_TRY_DO(check_output(path));
  PendingFile file;
  file.replaced_ = replaced.empty() ? place_of_new(path) : std::move(replaced);
  const bool replaces = kind_of_path(file.replaced_) == PathKind::file;
  SKL_TRY_DO(file.begin(std::move(path), size_bytes, replaces));
  return file;
}

Result<PendingFile> PendingFile::create_own(std::string path, uint64_t size_bytes) {
  SKL_TRY_DO(check_output(path));
  PendingFile file;
  SKL_TRY_DO(file.begin(std::move(path), size_bytes, true));
  return file;
}

Result<void> PendingFile::begin(std::string path, uint64_t size_bytes, bool is_private) {
  // This is done only once, so that a second interrupt still ends the process.
  static std::once_flag noting;
  std::call_once(noting, note_interrupts);
  folder_ = OpenFolder::open(parent_folder(path));
  SKL_TRY(auto temporary, make_temporary(folder_, path, is_private));
  path_ = std::move(path);
  temporary_name_ = std::move(temporary.name);
  descriptor_ = temporary.descriptor;
  if (size_bytes == 0) return {};
  const int os_error = calls::reserve(descriptor_, size_bytes);
  if (os_error == EINTR) return interrupted_run(path_);
  if (os_error != 0 && os_error != EOPNOTSUPP && os_error != EINVAL)
    return failed_call(path_, fmt::format("reserve {} bytes", size_bytes), os_error,
                       advice_for_writing(os_error));
  end_bytes_ = size_bytes;
  return {};
}

void PendingFile::bypass_cache() {
  if (direct_descriptor_ >= 0) return;
  // File systems that can't bypass the cache refuse this: tmpfs, and some network ones.
  direct_descriptor_ = calls::open_past_cache(folder_, temporary_name_, descriptor_);
}

int PendingFile::descriptor_for(uint64_t offset_bytes, std::span<const std::byte> bytes) const {
  constexpr uint64_t kPageBytes = 4096;
  const bool is_aligned =
      (offset_bytes | bytes.size() | reinterpret_cast<uintptr_t>(bytes.data())) % kPageBytes == 0;
  return direct_descriptor_ >= 0 && is_aligned ? direct_descriptor_ : descriptor_;
}

Result<void> PendingFile::write_at(uint64_t offset_bytes, std::span<const std::byte> bytes) const {
  if (is_interrupted()) return interrupted_run(path_);
  while (!bytes.empty()) {
    const int descriptor = descriptor_for(offset_bytes, bytes);
    int64_t put = calls::write_at(descriptor, bytes.data(), bytes.size(), offset_bytes);
    // The device's sectors are larger.
    if (put < 0 && errno == EINVAL && descriptor != descriptor_)
      put = calls::write_at(descriptor_, bytes.data(), bytes.size(), offset_bytes);
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return failed_write(path_, errno);
    offset_bytes += static_cast<uint64_t>(put);
    bytes = bytes.subspan(static_cast<size_t>(put));
  }
  return {};
}

Result<void> PendingFile::append(std::string_view text) {
  auto written = write_at(end_bytes_, std::as_bytes(std::span(text)));
  if (written) end_bytes_ += text.size();
  return written;
}

Result<void> PendingFile::truncate(uint64_t size_bytes) const {
  if (calls::resize(descriptor_, size_bytes) != 0) return failed_write(path_, errno);
  return {};
}

Result<void> PendingFile::commit(bool durable) {
  if (direct_descriptor_ >= 0) calls::close(std::exchange(direct_descriptor_, -1));
  if (!replaced_.empty()) take_over_access(descriptor_, replaced_);
  if (durable && calls::flush(descriptor_) != 0) return failed_write(path_, errno);
  if (calls::rename(folder_, temporary_name_, folder_, name_in_folder(path_)) != 0)
    return failed_call(path_, "rename into place", errno);
  const int os_error = calls::close(std::exchange(descriptor_, -1)) == 0 ? 0 : errno;
  if (os_error != 0) return failed_write(path_, os_error);
  if (durable && calls::flush_folder(folder_) != 0)
    return failed_call(parent_folder(path_), "flush the folder", errno);
  return {};
}

}  // namespace seekless
