#include "packer/serve/foreseen_reads.h"

#include <algorithm>

#include <sys/stat.h>

#include "packer/foresee/longest_wait.h"
#include "packer/host/extents.h"
#include "packer/serve/node_table.h"

namespace seekless {
namespace {

// Between two loads; within one, a game seldom computes for longer.
constexpr auto kQuiet = std::chrono::seconds(4);
// Less than 1 MiB after a pause is no load.
constexpr size_t kFewestPages = 256;

std::vector<PageKey> pages_of(uint32_t file, uint64_t offset, uint64_t length) {
  std::vector<PageKey> pages;
  for (uint64_t page = offset / kSeenPageBytes; page * kSeenPageBytes < offset + length; ++page)
    pages.push_back(page_key(file, page));
  return pages;
}

}  // namespace

ForeseenReads::ForeseenReads(Learned learned, ForeseeOptions options)
    : learned_(std::move(learned)),
      known_files_(learned_.files.size()),
      options_(std::move(options)),
      recogniser_(learned_),
      sweeper_(absolute_files(), options_.shadow, options_.most_bytes),
      bursts_(1, LearnedRun{true, {}}),
      last_read_(Clock::now()) {
  for (uint32_t i = 0; i < known_files_; ++i) numbers_[learned_.files[i]] = i;
}

std::vector<std::string> ForeseenReads::absolute_files() const {
  std::vector<std::string> files;
  for (const std::string& file : learned_.files) files.push_back(options_.folder + "/" + file);
  return files;
}

void ForeseenReads::begin() {
  if (learned_.scenarios.empty()) return;
  sweeper_.add(plan_for(learned_, kCore, !options_.shadow.empty(), options_.gap_bytes));
}

uint32_t ForeseenReads::open(const std::string& path, const ChangeStamp& stamp, uint32_t) {
  const std::lock_guard lock(mutex_);
  const auto next = static_cast<uint32_t>(learned_.files.size());
  const auto [known, is_new] = numbers_.try_emplace(path, next);
  if (is_new) learned_.files.push_back(path);
  opened_.push_back({known->second, stamp});
  return static_cast<uint32_t>(opened_.size() - 1);
}

void ForeseenReads::changes(const std::string& path) {
  const std::lock_guard lock(mutex_);
  const auto found = numbers_.find(path);
  if (found == numbers_.end()) return;
  changed_.insert(found->second);
  if (found->second < learned_.shadow.stamps.size()) learned_.shadow.stamps[found->second] = {};
}

bool ForeseenReads::has_changed(const OpenedFile& file) const {
  return changed_.contains(file.number);
}

void ForeseenReads::begin_burst_after_quiet() {
  const auto now = Clock::now();
  const bool was_quiet = now - last_read_ > kQuiet;
  last_read_ = now;
  if (was_quiet && bursts_.back().pages.size() >= kFewestPages) bursts_.push_back({false, {}});
}

ForeseenReads::OpenedFile ForeseenReads::note(const FileRead& read,
                                              std::span<const PageKey> pages) {
  const std::lock_guard lock(mutex_);
  ++figures_.reads;
  begin_burst_after_quiet();
  for (const PageKey page : pages)
    if (seen_.insert(page).second) bursts_.back().pages.push_back(page);
  const auto scenario = recogniser_.note_read(pages.front());
  if (scenario) {
    figures_.recognised.push_back(learned_.scenarios[*scenario].name);
    sweeper_.add(plan_for(learned_, *scenario, !options_.shadow.empty(), options_.gap_bytes));
  }
  if (!recogniser_.agrees()) sweeper_.give_up();
  return opened_[read.file];
}

// The file must be what it was when it was copied, and still be so now.
bool ForeseenReads::is_in_shadow(const OpenedFile& file, int descriptor) const {
  if (options_.shadow.empty() || has_changed(file) || file.number >= known_files_) return false;
  if (file.number >= learned_.shadow.stamps.size()) return false;
  struct stat status = {};
  return ::fstat(descriptor, &status) == 0 && stamp_of(status) == file.stamp &&
         file.stamp == learned_.shadow.stamps[file.number];
}

ssize_t ForeseenReads::read(const FileRead& read, std::span<std::byte> into) {
  OpenedFile file;
  bool is_foreseeable = false;
  {
    const std::lock_guard lock(mutex_);
    file = opened_[read.file];
    is_foreseeable = read.offset_bytes < file.stamp.size_bytes && !has_changed(file);
  }
  if (!is_foreseeable || into.empty()) return read_original(read, into);
  const uint64_t length =
      std::min<uint64_t>(into.size(), file.stamp.size_bytes - read.offset_bytes);
  const auto pages = pages_of(file.number, read.offset_bytes, length);
  file = note(read, pages);
  if (sweeper_.is_busy()) sweeper_.wait_for(pages, kLongestWait);
  const bool is_whole = read.offset_bytes % kSeenPageBytes == 0;
  bool is_good = false;
  {
    const std::lock_guard lock(mutex_);
    is_good = is_whole && is_in_shadow(file, read.descriptor);
  }
  if (is_good && sweeper_.copy(pages, into.first(length))) {
    const std::lock_guard lock(mutex_);
    ++figures_.shadow_reads;
    return static_cast<ssize_t>(length);
  }
  return read_original(read, into);
}

Learned ForeseenReads::finish() {
  sweeper_.give_up();
  const std::lock_guard lock(mutex_);
  for (const LearnedRun& burst : bursts_)
    if (burst.pages.size() >= (burst.is_start ? 1 : kFewestPages)) learn(learned_, burst);
  learned_.places.resize(learned_.files.size());
  for (size_t i = 0; i < learned_.files.size(); ++i) {
    auto places = read_extents(options_.folder + "/" + learned_.files[i]);
    if (!places) continue;
    learned_.places[i] = *std::move(places);
    learned_.places[i].path.clear();
  }
  return std::move(learned_);
}

ForeseenFigures ForeseenReads::figures() {
  const std::lock_guard lock(mutex_);
  figures_.swept = sweeper_.swept();
  return figures_;
}

}  // namespace seekless
