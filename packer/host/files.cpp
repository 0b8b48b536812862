#include "packer/host/files.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "packer/host/bytes_read.h"
#include "packer/host/calls.h"
#include "packer/host/descriptor.h"
#include "packer/host/interrupt.h"
#include "packer/host/native_path.h"
#include "packer/host/os_error.h"
#include "packer/host/pending_file.h"
#include "packer/host/unseen.h"
#include "packer/host/write_errors.h"
#include "packer/words/utf8.h"

namespace seekless {
namespace {

namespace fs = std::filesystem;

class FileSource final : public ByteSource {
 public:
  FileSource(std::string name, Descriptor descriptor, uint64_t size_bytes)
      : name_(std::move(name)), descriptor_(std::move(descriptor)), size_bytes_(size_bytes) {}
  const std::string& name() const override { return name_; }
  uint64_t size_bytes() const override { return size_bytes_; }

  Result<void> read_at(uint64_t offset_bytes, std::span<std::byte> into) const override {
    if (offset_bytes > size_bytes_ || into.size() > size_bytes_ - offset_bytes)
      return past_the_end(name_, offset_bytes, into.size(), size_bytes_);
    while (!into.empty()) {
      const int64_t got = calls::read_at(descriptor_.get(), into.data(), into.size(), offset_bytes);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return failed_call(name_, fmt::format("read at byte {}", offset_bytes), errno);
      if (got == 0) return past_the_end(name_, offset_bytes, into.size(), offset_bytes);
      offset_bytes += static_cast<uint64_t>(got);
      bytes_read() += static_cast<uint64_t>(got);
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
      const int64_t got = calls::read(descriptor_.get(), into.data(), into.size());
      if (got > 0) bytes_read() += static_cast<uint64_t>(got);
      if (got >= 0) return static_cast<size_t>(got);
      if (errno != EINTR) return failed_call(name_, "read", errno);
      if (is_interrupted()) return interrupted_run(name_);
    }
  }

 private:
  std::string name_;
  Descriptor descriptor_;
};

enum class Opens { regular_files, anything };

std::string describe_kind(calls::Kind kind) {
  if (kind == calls::Kind::folder) return "a folder";
  if (kind == calls::Kind::pipe) return "a pipe";
  return kind == calls::Kind::socket ? "a socket" : "a device";
}

struct OwnedDescriptor {
  int descriptor = -1;
  uint64_t size_bytes = 0;
};

Result<OwnedDescriptor> open_for_reading(const std::string& path, Opens opens) {
  if (path.find('\0') != std::string::npos)
    return failed({.file = path.substr(0, path.find('\0')),
                   .expected = "a path of a file",
                   .found = "one that holds a NUL"});
  const int descriptor = calls::open_to_read(path, opens == Opens::anything);
  if (descriptor < 0) return failed_call(path, "open", errno);
  calls::Status status;
  if (!calls::look_at(descriptor, status)) {
    const int os_error = errno;
    calls::close(descriptor);
    return failed_call(path, "look at", os_error);
  }
  const bool is_folder = status.kind == calls::Kind::folder;
  const bool is_taken =
      status.kind == calls::Kind::file || (opens == Opens::anything && !is_folder);
  if (!is_taken) {
    calls::close(descriptor);
    return failed({.file = path,
                   .expected = "a file",
                   .found = describe_kind(status.kind),
                   .advice = is_folder ? "" : "only recordings are read from pipes"});
  }
  return OwnedDescriptor{descriptor, status.size_bytes};
}

}  // namespace

Result<std::unique_ptr<ByteSource>> open_source(const std::string& path) {
  SKL_TRY(const auto file, open_for_reading(path, Opens::regular_files));
  return std::make_unique<FileSource>(path, Descriptor(file.descriptor), file.size_bytes);
}

Result<std::unique_ptr<ByteStream>> open_stream(const std::string& path) {
  SKL_TRY(const auto file, open_for_reading(path, Opens::regular_files));
  return std::make_unique<FileStream>(path, file.descriptor);
}

Result<std::unique_ptr<ByteStream>> open_piped_stream(const std::string& path) {
  if (path == "-") return std::make_unique<FileStream>("standard input", 0);
  SKL_TRY(const auto file, open_for_reading(path, Opens::anything));
  return std::make_unique<FileStream>(path, file.descriptor);
}

Result<std::unique_ptr<ByteSource>> spool(ByteStream& stream) {
  const auto failed_copy = [&] {
    return failed_call(stream.name(), "make a temporary copy of", errno);
  };
  Descriptor file(calls::open_nameless());
  if (file.get() < 0) return failed_copy();
  std::vector<std::byte> piece(size_t{256} << 10);
  uint64_t size_bytes = 0;
  for (;;) {
    SKL_TRY(const auto got, stream.read(piece));
    if (got == 0) break;
    for (size_t done = 0; done < got;) {
      const int64_t put = calls::write(file.get(), piece.data() + done, got - done);
      if (put < 0 && errno != EINTR) return failed_copy();
      done += static_cast<size_t>(std::max<int64_t>(put, 0));
    }
    size_bytes += got;
  }
  return std::make_unique<FileSource>(stream.name(), std::move(file), size_bytes);
}

Result<std::string> read_text(const std::string& path, uint64_t limit_bytes) {
  SKL_TRY(const auto source, open_source(path));
  const uint64_t size = source->size_bytes();
  if (size > limit_bytes)
    return damaged({.file = path,
                    .expected = fmt::format("at most {} bytes", limit_bytes),
                    .found = fmt::format("{} bytes", size)});
  std::string text(size, '\0');
  SKL_TRY_DO(source->read_at(0, std::as_writable_bytes(std::span(text))));
  return utf8_text(std::move(text));
}

namespace {

PathKind kind_of_type(fs::file_type type) {
  switch (type) {
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

}  // namespace

PathKind kind_of_path(const std::string& path) {
  std::error_code error;
  const fs::file_type type = type_of(path, error);
  if (error) note_unseen(path, error.value());
  return kind_of_type(type);
}

Result<PathKind> known_kind_of_path(const std::string& path) {
  std::error_code error;
  const fs::file_type type = type_of(path, error);
  const int os_error = error ? error.value() : 0;
  if (os_error != 0 && os_error != ENOENT && os_error != ENOTDIR)
    return failed_call(path, "look at", os_error);
  return kind_of_type(type);
}

bool is_link(const std::string& path) {
  std::error_code error;
  const bool is_one = is_link_itself(path, error);
  if (error) note_unseen(path, error.value());
  return is_one;
}

std::string canonical_path(const std::string& path) {
  std::error_code error;
  std::string canonical = real_path_so_far(path, error);
  if (error) note_unseen(path, error.value());
  return error ? path : canonical;
}

Result<LiveFile> LiveFile::create(std::string path) {
  SKL_TRY_DO(check_output(path));
  const PathKind kind = kind_of_path(path);
  const fs::path name = path_of_text(path);
  const std::string parent = text_of_path(name.parent_path());
  NameInFolder place = {OpenFolder::open(parent.empty() ? "." : parent),
                        text_of_path(name.filename())};
  const int descriptor = calls::open_to_write(place.folder, place.name);
  if (descriptor < 0) return failed_call(path, "create", errno, advice_for_writing(errno));
  return LiveFile(std::move(path), std::move(place), descriptor, kind == PathKind::missing);
}

LiveFile::LiveFile(LiveFile&& other) noexcept
    : path_(std::move(other.path_)),
      place_(std::move(other.place_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      is_new_(std::exchange(other.is_new_, false)) {}

LiveFile::~LiveFile() {
  if (descriptor_ >= 0) calls::close(descriptor_);
  if (is_new_) calls::remove_file(place_.folder, place_.name);
}

Result<void> LiveFile::begin() {
  if (calls::resize(descriptor_, 0) != 0) return failed_write(path_, errno);
  is_new_ = false;
  return {};
}

Result<void> LiveFile::append(std::string_view text) const {
  while (!text.empty()) {
    const int64_t put = calls::write(descriptor_, text.data(), text.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return failed_write(path_, errno);
    text.remove_prefix(static_cast<size_t>(put));
  }
  return {};
}

Result<void> LiveFile::finish() const {
  if (calls::flush(descriptor_) != 0) return failed_write(path_, errno);
  return {};
}

Result<void> write_text(const std::string& path, std::string_view text) {
  if (path == "-") {
    const bool written =
        std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
    if (!written) return failed_write("standard output", errno);
    return {};
  }
  // A file made from an incomplete input must not replace an earlier one.
  SKL_TRY_DO(check_unseen());
  SKL_TRY(auto file, PendingFile::create(path));
  SKL_TRY_DO(file.append(text));
  return file.commit();
}

Result<void> make_folders(const std::string& path) {
  int os_error = make_fenced_folders(path);
  if (os_error < 0) {
    std::error_code error;
    make_all_folders(path, error);
    os_error = error.value();
  }
  if (os_error != 0) return failed_call(path, "create the folder", os_error);
  return {};
}

Result<void> rename_path(const std::string& from, const std::string& to) {
  const auto source = NameInFolder::of(from);
  const auto target = NameInFolder::of(to);
  if (calls::rename(source.folder, source.name, target.folder, target.name) == 0) return {};
  const int os_error = errno;
  if (source.folder.is_open() && !target.folder.is_open())
    return failed_call(to, fmt::format("rename '{}' to this", from), os_error);
  return failed_call(from, fmt::format("rename to '{}'", to), os_error);
}

Result<void> remove_file(const std::string& path) {
  const auto place = NameInFolder::of(path);
  if (calls::remove_file(place.folder, place.name) != 0 && errno != ENOENT)
    return failed_call(path, "remove", errno);
  return {};
}

Result<void> remove_folder(const std::string& path) {
  const auto place = NameInFolder::of(path);
  if (calls::remove_folder(place.folder, place.name) != 0 && errno != ENOENT)
    return failed_call(path, "remove the folder", errno);
  return {};
}

void remove_empty_folder(const std::string& path) {
  const auto place = NameInFolder::of(path);
  calls::remove_folder(place.folder, place.name);
}

Result<void> sync_folder(const std::string& path) {
  if (calls::flush_folder(OpenFolder::open(path)) != 0)
    return failed_call(path, "flush the folder", errno);
  return {};
}

Result<void> sync_file_system(const std::string& path) {
  if (calls::flush_file_system(OpenFolder::open(path)) != 0)
    return failed_call(path, "flush the file system", errno);
  return {};
}

}  // namespace seekless
