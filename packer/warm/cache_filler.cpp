#include "packer/warm/cache_filler.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <memory>
#include <optional>
#include <system_error>
#include <thread>

#include <fmt/format.h>

#include "packer/host/calls.h"
#include "packer/host/descriptor.h"
#include "packer/host/interrupt.h"
#include "packer/warm/system_cache.h"

namespace seekless {
namespace {

using Clock = std::chrono::steady_clock;

constexpr uint64_t kChunkBytes = uint64_t{1} << 20;
constexpr size_t kChunksAhead = 4;
// With more chunks than this left in a read, none is asked for if the system reads ahead by itself,
// with fewer and longer commands. It would also read beyond the end of the read, so the last chunks
// are asked for, and aren't read again.
constexpr size_t kLastChunks = 4;

// A part of a read that is checked and copied at once.
struct Chunk {
  size_t read;  // index of the read
  uint64_t offset_bytes;
  uint64_t length_bytes;
  uint64_t cached_bytes;
};

class Filler {
 public:
  Filler(std::span<const FileExtents> files, std::span<const SweepRead> reads,
         const WarmOptions& options)
      : files_(files),
        reads_(reads),
        options_(options),
        buffer_(std::make_unique<char[]>(kChunkBytes)) {}

  WarmReport fill() {
    look_at_all();
    start_ = Clock::now();
    for (size_t i = 0; i < chunks_.size() && !is_interrupted(); ++i) fill_one(i);
    report_.was_stopped = is_interrupted();
    report_.seconds = std::chrono::duration<double>(Clock::now() - start_).count();
    return std::move(report_);
  }

 private:
  // Checks which chunks are cached before anything is read, because read-ahead would add later
  // ones.
  void look_at_all() {
    for (size_t number = 0; number < reads_.size(); ++number) {
      const SweepRead& read = reads_[number];
      if (!select(read.file)) continue;
      ++report_.reads;
      report_.bytes += read.length_bytes;
      report_.wanted_bytes += read.wanted_bytes;
      const uint64_t end = read.offset_bytes + read.length_bytes;
      for (uint64_t at = read.offset_bytes; at < end; at += std::min(kChunkBytes, end - at)) {
        const uint64_t length = std::min(kChunkBytes, end - at);
        const uint64_t cached = count_cached(at, length);
        chunks_.push_back({number, at, length, cached});
        report_.cached_bytes += cached;
      }
    }
  }

  // Makes `file` the open file. If that fails, notes the failure once and returns false.
  bool select(uint32_t file) {
    if (open_ && file_ == file) return open_->get() >= 0;
    open_.reset();  // closed first, because closing may change errno
    open_.emplace(calls::open_to_read(files_[file].path, false));
    file_ = file;
    if (open_->get() < 0) return note_failure(0, errno), false;
    tells_ = tells_cached(open_->get());
    reads_ahead_ = reads_ahead_itself(open_->get(), kChunkBytes);
    return true;
  }

  uint64_t count_cached(uint64_t at, uint64_t length) {
    const auto cached = tells_ ? cached_bytes(open_->get(), at, length) : std::nullopt;
    if (!cached) report_.knows_cached = false;
    return cached.value_or(0);
  }

  void fill_one(size_t number) {
    const Chunk& chunk = chunks_[number];
    if (chunk.cached_bytes < chunk.length_bytes && select(reads_[chunk.read].file)) {
      ask_ahead(number);
      copy(chunk.offset_bytes, chunk.length_bytes);
      report_.fetched_bytes += chunk.length_bytes - chunk.cached_bytes;
      keep_to_rate();
    }
    if (options_.done_bytes != nullptr) *options_.done_bytes += chunk.length_bytes;
  }

  // Asks for further chunks of the same read, so that the disk is busy while this process copies.
  // With a rate limit, it asks for nothing beyond the chunk.
  void ask_ahead(size_t number) {
    asked_ = std::max(asked_, number);
    if (options_.bytes_per_s == 0 && is_read_ahead(number)) return;
    const size_t until = options_.bytes_per_s != 0 ? number + 1 : number + kChunksAhead;
    for (; asked_ < std::min(until, chunks_.size()); ++asked_) {
      const Chunk& chunk = chunks_[asked_];
      if (chunk.read != chunks_[number].read) return;
      read_ahead(open_->get(), chunk.offset_bytes, chunk.length_bytes);
    }
  }

  bool is_read_ahead(size_t number) const {
    const size_t later = number + kLastChunks;
    return reads_ahead_ && later < chunks_.size() && chunks_[later].read == chunks_[number].read;
  }

  void copy(uint64_t at, uint64_t length) {
    while (length > 0) {
      const int64_t got = calls::read_at(open_->get(), buffer_.get(), length, at);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return note_failure(at, errno);
      if (got == 0) return;  // the file has shrunk: nothing is left to read
      at += static_cast<uint64_t>(got);
      length -= static_cast<uint64_t>(got);
    }
  }

  void keep_to_rate() const {
    if (options_.bytes_per_s == 0) return;
    const double due_s =
        static_cast<double>(report_.fetched_bytes) / static_cast<double>(options_.bytes_per_s);
    constexpr double kNapS = 0.1;  // short enough for Ctrl-C to be noticed
    for (;;) {
      const double left_s = due_s - std::chrono::duration<double>(Clock::now() - start_).count();
      if (left_s <= 0 || is_interrupted()) return;
      std::this_thread::sleep_for(std::chrono::duration<double>(std::min(left_s, kNapS)));
    }
  }

  void note_failure(uint64_t at, int os_error) {
    report_.failures.push_back(fmt::format("{}: byte {}: {}", files_[file_].path, at,
                                           std::generic_category().message(os_error)));
  }

  std::span<const FileExtents> files_;
  std::span<const SweepRead> reads_;
  const WarmOptions& options_;
  std::unique_ptr<char[]> buffer_;
  std::optional<Descriptor> open_;
  uint32_t file_ = 0;
  bool tells_ = false;        // whether the system tells what of the open file is cached
  bool reads_ahead_ = false;  // whether the system reads ahead in the open file by itself
  std::vector<Chunk> chunks_;
  size_t asked_ = 0;  // the first chunk that the system hasn't been asked for
  Clock::time_point start_;
  WarmReport report_;
};

}  // namespace

WarmReport report_before(std::span<const SweepRead> reads) {
  WarmReport report = {.reads = reads.size(), .knows_cached = false};
  for (const SweepRead& read : reads) {
    report.bytes += read.length_bytes;
    report.wanted_bytes += read.wanted_bytes;
  }
  return report;
}

WarmReport fill_cache(std::span<const FileExtents> files, std::span<const SweepRead> reads,
                      const WarmOptions& options) {
  return Filler(files, reads, options).fill();
}

}  // namespace seekless
