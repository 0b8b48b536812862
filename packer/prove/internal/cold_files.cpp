#include "packer/prove/internal/cold_files.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <optional>

#include <fmt/format.h>

#include "packer/drive/read_ahead.h"
#include "packer/host/calls.h"
#include "packer/host/descriptor.h"
#include "packer/host/interrupt.h"
#include "packer/host/os_error.h"
#include "packer/warm/system_cache.h"

namespace seekless {
namespace {

constexpr uint64_t kAskedAtOnceBytes = uint64_t{1} << 30;
constexpr uint64_t kReadAtOnceBytes = uint64_t{4} << 20;  // longer reads are made in parts
constexpr uint64_t kDirectUnitBytes = 4096;

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

std::unexpected<Error> is_stopped(const std::string& path) {
  return failed({.file = path,
                 .found = "the run interrupted",
                 .advice = "nothing was written; run it again"});
}

Coldness drop_file(const std::string& path) {
  const Descriptor file(calls::open_to_read(path, false));
  calls::Status status;
  if (file.get() < 0 || !calls::look_at(file.get(), status)) return {.is_told = false};
  Coldness found = {.was_dropped = drop_cached(file.get()), .is_told = tells_cached(file.get())};
  for (uint64_t at = 0; found.is_told && at < status.size_bytes; at += kAskedAtOnceBytes) {
    const auto left =
        cached_bytes(file.get(), at, std::min(kAskedAtOnceBytes, status.size_bytes - at));
    found.is_told = left.has_value();
    found.left_bytes += left.value_or(0);
  }
  return found;
}

Result<void> read_away(int file, const std::string& path, const Event& event,
                       std::vector<std::byte>& buffer) {
  for (uint64_t done = 0; done < event.length_bytes;) {
    const uint64_t wanted = std::min<uint64_t>(buffer.size(), event.length_bytes - done);
    const int64_t got =
        calls::read_at(file, buffer.data(), static_cast<size_t>(wanted), event.offset_bytes + done);
    if (got < 0 && errno == EINTR) {
      if (is_interrupted()) return is_stopped(path);
      continue;
    }
    if (got < 0)
      return failed_call(path, fmt::format("read at byte {} of", event.offset_bytes + done), errno,
                         advice_for_os_error(errno));
    if (got == 0) return {};  // the recorded read ended past the file's end
    done += static_cast<uint64_t>(got);
  }
  return {};
}

}  // namespace

void Coldness::add(const Coldness& other) {
  was_dropped = was_dropped && other.was_dropped;
  is_told = is_told && other.is_told;
  left_bytes += other.left_bytes;
}

Coldness drop_files(std::span<const std::string> paths) {
  Coldness all;
  for (const std::string& path : paths) all.add(drop_file(path));
  return all;
}

Result<uint64_t> bytes_in_memory(std::span<const std::string> paths,
                                 std::span<const FetchedRange> ranges) {
  // Only one file is open at a time, because a load may read more files than a process may have
  // open.
  std::map<uint32_t, std::vector<FetchedRange>> by_file;
  for (const FetchedRange& range : ranges) by_file[range.file].push_back(range);
  uint64_t bytes = 0;
  for (const auto& [number, parts] : by_file) {
    const Descriptor file(calls::open_to_read(paths[number], false));
    if (file.get() < 0)
      return failed_call(paths[number], "open", errno, advice_for_os_error(errno));
    for (const FetchedRange& part : parts) {
      const uint64_t begin = part.offset_bytes / kPageBytes * kPageBytes;
      const uint64_t end = part.offset_bytes + part.length_bytes;
      for (uint64_t at = begin; at < end; at += kAskedAtOnceBytes)
        bytes += cached_bytes(file.get(), at, std::min(kAskedAtOnceBytes, end - at)).value_or(0);
    }
  }
  return bytes;
}

Result<double> time_reads(std::span<const std::string> paths, std::span<const Event> events) {
  std::vector<std::optional<Descriptor>> files(paths.size());
  uint64_t longest = kDirectUnitBytes;
  for (const Event& event : events) longest = std::max(longest, event.length_bytes);
  std::vector<std::byte> buffer(static_cast<size_t>(std::min(longest, kReadAtOnceBytes)));
  const auto begin = std::chrono::steady_clock::now();
  for (const Event& event : events) {
    const std::string& path = paths[event.path];
    if (is_interrupted()) return is_stopped(path);
    std::optional<Descriptor>& file = files[event.path];
    if (event.kind == EventKind::open || !file) {
      file.emplace(calls::open_to_read(path, false));
      if (file->get() < 0) return failed_call(path, "open", errno, advice_for_os_error(errno));
    }
    if (event.kind != EventKind::open) SKL_TRY_DO(read_away(file->get(), path, event, buffer));
  }
  return seconds_since(begin);
}

Result<void> UnbufferedFiles::open(std::span<const FetchedRange> ranges) {
  for (const FetchedRange& range : ranges) {
    if (files_.contains(range.file)) continue;
    SKL_TRY(auto file, DirectFile::open(paths_[range.file], kReadAtOnceBytes));
    files_.emplace(range.file, std::move(file));
  }
  return {};
}

Result<double> UnbufferedFiles::time_reads(std::span<const FetchedRange> ranges) {
  const auto begin = std::chrono::steady_clock::now();
  for (const FetchedRange& range : ranges) {
    DirectFile& file = files_.at(range.file);
    // Some file systems can't do direct I/O on an incomplete last unit of a file.
    const uint64_t end = std::min(range.offset_bytes + range.length_bytes, file.size_bytes()) /
                         kDirectUnitBytes * kDirectUnitBytes;
    for (uint64_t at = range.offset_bytes / kDirectUnitBytes * kDirectUnitBytes; at < end;) {
      const uint64_t bytes = std::min(kReadAtOnceBytes, end - at);
      SKL_TRY(const auto is_good, file.read(at, bytes));
      if (!is_good)
        return failed({.file = paths_[range.file],
                       .place = fmt::format("byte {}", at),
                       .expected = "bytes",
                       .found = "a place that the disk can't read",
                       .advice = "see the drive's health (smartctl) and the kernel's log"});
      at += bytes;
    }
  }
  return seconds_since(begin);
}

}  // namespace seekless
