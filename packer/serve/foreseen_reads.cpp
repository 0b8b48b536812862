#include "packer/serve/foreseen_reads.h"

#include <algorithm>
#include <utility>

#include <sys/stat.h>

#include "packer/foresee/longest_wait.h"
#include "packer/foresee/swept_pages.h"
#include "packer/serve/internal/node_table.h"
#include "packer/warm/system_cache.h"

namespace seekless {
namespace {

// A read that takes longer came from the disk.
constexpr auto kOfMemory = std::chrono::milliseconds(1);

}  // namespace

ForeseenReads::ForeseenReads(Learned learned, ForeseeOptions options)
    : copied_(learned.shadow.stamps),
      known_files_(learned.files.size()),
      foresight_(std::move(learned), std::move(options)),
      sweeper_(foresight_.sweeper()),
      around_(foresight_.options().around_bytes) {}

void ForeseenReads::looks_up(const std::string& path) {
  if (sweeper_.is_naming()) sweeper_.wait_for_names(kLongestWait);
  foresight_.looks_up(path);
}

uint32_t ForeseenReads::open(const std::string& path, const ChangeStamp& stamp, uint32_t) {
  const uint32_t file = foresight_.number_of(path);
  const std::lock_guard lock(mutex_);
  // All openings of a file share one entry with the newest stamp, because games open the same files
  // thousands of times. An older opening of a file that was replaced still gets its own bytes: the
  // shadow answers only if the descriptor's own stamp is that of the copy.
  const auto number = static_cast<uint32_t>(opened_.size());
  const auto [entered, is_first] = entries_.try_emplace(file, number);
  if (is_first)
    opened_.push_back({file, stamp});
  else
    opened_[entered->second].stamp = stamp;
  return entered->second;
}

void ForeseenReads::changes(const std::string& path) {
  const auto file = foresight_.drops_copy_of(path);
  if (!file) return;
  const std::lock_guard lock(mutex_);
  changed_.insert(*file);
}

bool ForeseenReads::has_changed(const ForeseenFile& file) const {
  return changed_.contains(file.number);
}

// Returns true if the file is unchanged since it was opened, and since it was copied.
bool ForeseenReads::is_in_shadow(const ForeseenFile& file, int descriptor) const {
  if (foresight_.options().shadow.empty() || has_changed(file) || file.number >= known_files_)
    return false;
  if (file.number >= copied_.size()) return false;
  struct stat status = {};
  return ::fstat(descriptor, &status) == 0 && stamp_of(status) == file.stamp &&
         file.stamp == copied_[file.number];
}

ssize_t ForeseenReads::read(const FileRead& read, std::span<std::byte> into) {
  ForeseenFile file;
  bool is_foreseeable = false;
  {
    const std::lock_guard lock(mutex_);
    file = opened_[read.file];
    is_foreseeable = read.offset_bytes < file.stamp.size_bytes && !has_changed(file);
  }
  if (!is_foreseeable || into.empty()) return read_original(read, into);
  const uint64_t length =
      std::min<uint64_t>(into.size(), file.stamp.size_bytes - read.offset_bytes);
  const auto pages = pages_of_read(file.number, read.offset_bytes, length);
  const auto asked = Clock::now();
  foresight_.reads(pages, asked);
  const ssize_t got = answer_by_shadow(file, pages, read, into.first(length))
                          ? static_cast<ssize_t>(length)
                          : answer_by_original(file, read, into);
  foresight_.has_waited(std::chrono::duration<double>(Clock::now() - asked).count());
  return got;
}

ssize_t ForeseenReads::answer_by_original(const ForeseenFile& file, const FileRead& read,
                                          std::span<std::byte> into) {
  const uint64_t page = read.offset_bytes / kSeenPageBytes;
  const PageKey key = page_key(file.number, page);
  if (sweeper_.has_brought(key)) return read_original(read, into);
  const WantedRange piece = {file.number, read.offset_bytes, into.size()};
  std::unique_lock lock(mutex_);
  const bool jumps = around_.jumps(piece);
  lock.unlock();
  // If a sweep will fetch the page later, it also fetches the likely pages around it.
  if (jumps && !sweeper_.will_bring(key) &&
      !is_cached(read.descriptor, page * kSeenPageBytes, kSeenPageBytes)) {
    lock.lock();
    const auto window = around_.window_around(piece, file.stamp.size_bytes);
    lock.unlock();
    if (window) read_ahead(read.descriptor, window->offset_bytes, window->length_bytes);
  }
  if (!sweeper_.is_busy()) return read_original(read, into);
  sweeper_.other_read_begins();
  const auto begun = Clock::now();
  const ssize_t got = read_original(read, into);
  sweeper_.other_read_ends(Clock::now() - begun > kOfMemory);
  return got;
}

bool ForeseenReads::answer_by_shadow(const ForeseenFile& file, std::span<const PageKey> pages,
                                     const FileRead& read, std::span<std::byte> into) {
  if (sweeper_.is_busy()) sweeper_.wait_for(pages, kLongestWait, kLongestHurry);
  if (read.offset_bytes % kSeenPageBytes != 0) return false;
  {
    const std::lock_guard lock(mutex_);
    if (!is_in_shadow(file, read.descriptor)) return false;
  }
  if (!sweeper_.copy(pages, into)) return false;
  const std::lock_guard lock(mutex_);
  ++shadow_reads_;
  return true;
}

ForeseenFigures ForeseenReads::figures() {
  ForeseenFigures figures = foresight_.figures();
  const std::lock_guard lock(mutex_);
  figures.shadow_reads = shadow_reads_;
  figures.around_bytes = around_.fetched_bytes();
  return figures;
}

}  // namespace seekless
