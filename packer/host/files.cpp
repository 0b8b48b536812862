#include "packer/host/files.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "packer/host/descriptor.h"
#include "packer/host/interrupt.h"

namespace seekless {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFullDisk = "free some space or choose another output, then run it again";

std::string advice_for(int os_error) {
  if (os_error == ENOENT) return "make its folder first";
  return os_error == ENOSPC || os_error == EDQUOT || os_error == EFBIG ? kFullDisk : "";
}

std::unexpected<Error> failed_write(const std::string& path, int os_error) {
  return failed_call(path, "write", os_error, advice_for(os_error));
}

std::unexpected<Error> no_output(const std::string& path, PathKind kind) {
  return failed({.file = path,
                 .expected = "a file, or none yet",
                 .found = kind == PathKind::folder ? "a folder" : "a device",
                 .advice = "choose another output"});
}

std::unexpected<Error> interrupted_run(const std::string& path) {
  return failed({.file = path,
                 .found = "the run interrupted",
                 .advice = "what it had not finished is cleared away; run it again"});
}

std::unexpected<Error> past_the_end(const std::string& name, uint64_t offset, uint64_t length,
                                    uint64_t size) {
  return damaged({.file = name,
                  .place = fmt::format("byte {}", offset),
                  .expected = fmt::format("{} more bytes", length),
                  .found = fmt::format("the end of the file at byte {}", size),
                  .advice = "it is cut short, or changed while it was read"});
}

class FileSource final : public ByteSource {
 public:
  FileSource(std::string name, int descriptor, uint64_t size_bytes)
      : name_(std::move(name)), descriptor_(descriptor), size_bytes_(size_bytes) {}
  const std::string& name() const override { return name_; }
  uint64_t size_bytes() const override { return size_bytes_; }

  Result<void> read_at(uint64_t offset_bytes, std::span<std::byte> into) const override {
    if (offset_bytes > size_bytes_ || into.size() > size_bytes_ - offset_bytes)
      return past_the_end(name_, offset_bytes, into.size(), size_bytes_);
    while (!into.empty()) {
      const ssize_t got =
          ::pread(descriptor_.get(), into.data(), into.size(), static_cast<off_t>(offset_bytes));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return failed_call(name_, fmt::format("read at byte {}", offset_bytes), errno);
      if (got == 0) return past_the_end(name_, offset_bytes, into.size(), offset_bytes);
      offset_bytes += static_cast<uint64_t>(got);
      into = into.subspan(static_cast<size_t>(got));
    }
    return {};
  }

 private:
  std::string name_;
  Descriptor descriptor_;
  uint64_t size_bytes_;
};

class FileStream final : public ByteStream {
 public:
  FileStream(std::string name, int descriptor) : name_(std::move(name)), descriptor_(descriptor) {}
  const std::string& name() const override { return name_; }

  Result<size_t> read(std::span<std::byte> into) override {
    for (;;) {
      const ssize_t got = ::read(descriptor_.get(), into.data(), into.size());
      if (got >= 0) return static_cast<size_t>(got);
      if (errno != EINTR) return failed_call(name_, "read", errno);
      if (is_interrupted()) return interrupted_run(name_);
    }
  }

 private:
  std::string name_;
  Descriptor descriptor_;
};

Result<int> open_for_reading(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return failed_call(path, "open", errno);
  struct stat status = {};
  if (::fstat(descriptor, &status) != 0 || S_ISDIR(status.st_mode)) {
    ::close(descriptor);
    return failed({.file = path, .expected = "a file", .found = "a folder"});
  }
  return descriptor;
}

std::string parent_folder(const std::string& path) {
  const std::string parent = fs::path(path).parent_path().string();
  return parent.empty() ? "." : parent;
}

// The name of a folder has a slash behind it, so that entries are sorted as whole paths are.
struct FolderEntry {
  std::string name;
  uint64_t size_bytes = 0;
  bool is_link = false;
};

// Regular files and folders, sorted.
Result<std::vector<FolderEntry>> entries_of(const fs::path& folder) {
  std::error_code error;
  fs::directory_iterator found(folder, error);
  if (error) return failed_call(folder.string(), "open", error.value());
  std::vector<FolderEntry> entries;
  for (const fs::directory_entry& entry : found) {
    const fs::file_status status = entry.status(error);
    if (error) return failed_call(entry.path().string(), "open", error.value());
    if (fs::is_directory(status)) {
      entries.push_back({entry.path().filename().string() + '/'});
    } else if (fs::is_regular_file(status)) {
      const uint64_t size = entry.file_size(error);
      if (error) return failed_call(entry.path().string(), "open", error.value());
      entries.push_back({entry.path().filename().string(), size, entry.is_symlink(error)});
    }
  }
  std::ranges::sort(entries, {}, &FolderEntry::name);
  return entries;
}

Result<void> visit_below(const fs::path& folder, const std::string& prefix,
                         std::vector<fs::path>& above, const VisitFound& visit) {
  std::error_code error;
  const fs::path real = fs::canonical(folder, error);
  if (error) return failed_call(folder.string(), "open", error.value());
  if (std::find(above.begin(), above.end(), real) != above.end())
    return failed({.file = folder.string(),
                   .expected = "a tree of folders",
                   .found = fmt::format("a link back to '{}'", real.string()),
                   .advice = "remove the link"});
  above.push_back(real);
  const auto entries = entries_of(folder);
  if (!entries) return std::unexpected(entries.error());
  for (const FolderEntry& entry : *entries) {
    const std::string path = prefix + entry.name;
    auto visited =
        entry.name.ends_with('/')
            ? visit_below(folder / entry.name.substr(0, entry.name.size() - 1), path, above, visit)
            : visit({path, entry.size_bytes, entry.is_link});
    if (!visited) return visited;
  }
  above.pop_back();
  return {};
}

}  // namespace

Result<void> MemorySource::read_at(uint64_t offset_bytes, std::span<std::byte> into) const {
  if (offset_bytes > bytes_.size() || into.size() > bytes_.size() - offset_bytes)
    return past_the_end(name_, offset_bytes, into.size(), bytes_.size());
  std::copy_n(bytes_.begin() + static_cast<ptrdiff_t>(offset_bytes), into.size(), into.begin());
  return {};
}

Result<size_t> MemoryStream::read(std::span<std::byte> into) {
  const size_t count = std::min(into.size(), bytes_.size() - position_);
  std::memcpy(into.data(), bytes_.data() + position_, count);
  position_ += count;
  return count;
}

Result<std::unique_ptr<ByteSource>> open_source(const std::string& path) {
  const Result<int> descriptor = open_for_reading(path);
  if (!descriptor) return std::unexpected(descriptor.error());
  struct stat status = {};
  if (::fstat(*descriptor, &status) != 0) {
    const int os_error = errno;
    ::close(*descriptor);
    return failed_call(path, "open", os_error);
  }
  return std::make_unique<FileSource>(path, *descriptor, static_cast<uint64_t>(status.st_size));
}

Result<std::unique_ptr<ByteStream>> open_stream(const std::string& path) {
  if (path == "-") return std::make_unique<FileStream>("standard input", STDIN_FILENO);
  const Result<int> descriptor = open_for_reading(path);
  if (!descriptor) return std::unexpected(descriptor.error());
  return std::make_unique<FileStream>(path, *descriptor);
}

Result<std::string> read_text(const std::string& path, uint64_t limit_bytes) {
  const auto source = open_source(path);
  if (!source) return std::unexpected(source.error());
  const uint64_t size = (*source)->size_bytes();
  if (size > limit_bytes)
    return damaged({.file = path,
                    .expected = fmt::format("at most {} bytes", limit_bytes),
                    .found = fmt::format("{} bytes", size)});
  std::string text(size, '\0');
  if (auto read = (*source)->read_at(0, std::as_writable_bytes(std::span(text))); !read)
    return std::unexpected(read.error());
  return text;
}

Result<void> visit_folder(const std::string& folder, const VisitFound& visit) {
  std::vector<fs::path> above;
  return visit_below(folder, "", above, visit);
}

Result<std::vector<FoundFile>> walk_folder(const std::string& folder) {
  std::vector<FoundFile> found;
  const auto keep = [&](const FoundFile& file) -> Result<void> {
    found.push_back(file);
    return {};
  };
  if (auto visited = visit_folder(folder, keep); !visited) return std::unexpected(visited.error());
  return found;
}

PathKind kind_of_path(const std::string& path) {
  std::error_code error;
  switch (fs::status(path, error).type()) {
    case fs::file_type::not_found:
    case fs::file_type::none:
      return PathKind::missing;
    case fs::file_type::regular:
      return PathKind::file;
    case fs::file_type::directory:
      return PathKind::folder;
    default:
      return PathKind::other;
  }
}

std::string canonical_path(const std::string& path) {
  std::error_code error;
  fs::path canonical = fs::weakly_canonical(fs::absolute(path, error), error);
  return error ? path : canonical.string();
}

PendingFile::PendingFile(std::string path, std::string temporary_path, int descriptor)
    : path_(std::move(path)), temporary_path_(std::move(temporary_path)), descriptor_(descriptor) {}

PendingFile::PendingFile(PendingFile&& other) noexcept
    : path_(std::move(other.path_)),
      temporary_path_(std::move(other.temporary_path_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      direct_descriptor_(std::exchange(other.direct_descriptor_, -1)),
      end_bytes_(other.end_bytes_) {}

PendingFile& PendingFile::operator=(PendingFile&& other) noexcept {
  if (this != &other) {
    discard();
    path_ = std::move(other.path_);
    temporary_path_ = std::move(other.temporary_path_);
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
  if (direct_descriptor_ >= 0) ::close(std::exchange(direct_descriptor_, -1));
  if (descriptor_ < 0) return;
  ::close(descriptor_);
  ::unlink(temporary_path_.c_str());
  descriptor_ = -1;
}

Result<PendingFile> PendingFile::create(std::string path, uint64_t size_bytes) {
  // A second interrupt must still end the process, so this is done only once.
  static std::once_flag noting;
  std::call_once(noting, note_interrupts);
  const PathKind kind = kind_of_path(path);
  // A rename would fail, or replace a device.
  if (kind == PathKind::folder || kind == PathKind::other) return no_output(path, kind);
  // A short name of its own: the file's may be as long as the file system allows.
  static std::atomic<unsigned> counter = 0;
  std::string temporary =
      fmt::format("{}/.seekless-{}-{}.tmp", parent_folder(path), ::getpid(), counter++);
  const int descriptor = ::open(temporary.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC,
                                S_IRUSR | S_IWUSR | S_IRGRP | S_IWGRP | S_IROTH | S_IWOTH);
  if (descriptor < 0) return failed_call(path, "create", errno, advice_for(errno));
  PendingFile file(std::move(path), std::move(temporary), descriptor);
  if (size_bytes > 0) {
    const int os_error = ::posix_fallocate(descriptor, 0, static_cast<off_t>(size_bytes));
    if (os_error == EINTR) return interrupted_run(file.path_);
    if (os_error != 0 && os_error != EOPNOTSUPP && os_error != EINVAL)
      return failed_call(file.path_, fmt::format("reserve {} bytes", size_bytes), os_error,
                         advice_for(os_error));
    file.end_bytes_ = size_bytes;
  }
  return file;
}

void PendingFile::bypass_cache() {
  if (direct_descriptor_ >= 0) return;
  // Refused where there is nothing but the cache: tmpfs, some network file systems.
  direct_descriptor_ = ::open(temporary_path_.c_str(), O_WRONLY | O_DIRECT | O_CLOEXEC);
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
    const auto place = static_cast<off_t>(offset_bytes);
    ssize_t put = ::pwrite(descriptor, bytes.data(), bytes.size(), place);
    // Of a device with larger sectors.
    if (put < 0 && errno == EINVAL && descriptor != descriptor_)
      put = ::pwrite(descriptor_, bytes.data(), bytes.size(), place);
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
  if (::ftruncate(descriptor_, static_cast<off_t>(size_bytes)) != 0)
    return failed_write(path_, errno);
  return {};
}

Result<void> PendingFile::commit(bool durable) {
  if (direct_descriptor_ >= 0) ::close(std::exchange(direct_descriptor_, -1));
  if (durable && ::fsync(descriptor_) != 0) return failed_write(path_, errno);
  if (::rename(temporary_path_.c_str(), path_.c_str()) != 0)
    return failed_call(path_, "rename into place", errno);
  const int os_error = ::close(std::exchange(descriptor_, -1)) == 0 ? 0 : errno;
  if (os_error != 0) return failed_write(path_, os_error);
  return durable ? sync_folder(parent_folder(path_)) : Result<void>{};
}

Result<LiveFile> LiveFile::create(std::string path) {
  const PathKind kind = kind_of_path(path);
  if (kind == PathKind::folder || kind == PathKind::other) return no_output(path, kind);
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC,
                                S_IRUSR | S_IWUSR | S_IRGRP | S_IWGRP | S_IROTH | S_IWOTH);
  if (descriptor < 0) return failed_call(path, "create", errno, advice_for(errno));
  return LiveFile(std::move(path), descriptor, kind == PathKind::missing);
}

LiveFile::LiveFile(LiveFile&& other) noexcept
    : path_(std::move(other.path_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      is_new_(std::exchange(other.is_new_, false)) {}

LiveFile::~LiveFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (is_new_) ::unlink(path_.c_str());
}

Result<void> LiveFile::begin() {
  if (::ftruncate(descriptor_, 0) != 0) return failed_write(path_, errno);
  is_new_ = false;
  return {};
}

Result<void> LiveFile::append(std::string_view text) const {
  while (!text.empty()) {
    const ssize_t put = ::write(descriptor_, text.data(), text.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return failed_write(path_, errno);
    text.remove_prefix(static_cast<size_t>(put));
  }
  return {};
}

Result<void> LiveFile::finish() const {
  if (::fsync(descriptor_) != 0) return failed_write(path_, errno);
  return {};
}

Result<void> write_text(const std::string& path, std::string_view text) {
  if (path == "-") {
    const bool written =
        std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
    if (!written) return failed_write("standard output", errno);
    return {};
  }
  auto file = PendingFile::create(path);
  if (!file) return std::unexpected(file.error());
  if (auto written = file->append(text); !written) return written;
  return file->commit();
}

Result<void> make_folders(const std::string& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error) return failed_call(path, "create the folder", error.value());
  return {};
}

Result<void> rename_path(const std::string& from, const std::string& to) {
  if (::rename(from.c_str(), to.c_str()) != 0)
    return failed_call(from, fmt::format("rename to '{}'", to), errno);
  return {};
}

Result<void> remove_file(const std::string& path) {
  if (::unlink(path.c_str()) != 0 && errno != ENOENT) return failed_call(path, "remove", errno);
  return {};
}

void remove_empty_folder(const std::string& path) {
  ::rmdir(path.c_str());
}

Result<void> sync_folder(const std::string& path) {
  const Descriptor folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder.get() < 0 || ::fsync(folder.get()) != 0)
    return failed_call(path, "flush the folder", errno);
  return {};
}

Result<void> sync_file_system(const std::string& path) {
  const Descriptor folder(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (folder.get() < 0 || ::syncfs(folder.get()) != 0)
    return failed_call(path, "flush the file system", errno);
  return {};
}

}  // namespace seekless
