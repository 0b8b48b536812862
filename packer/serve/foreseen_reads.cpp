#include "packer/serve/foreseen_reads.h"

#include <algorithm>
#include <utility>

#include <sys/stat.h>

#include "packer/foresee/bounded.h"
#include "packer/foresee/longest_wait.h"
#include "packer/host/calls.h"
#include "packer/host/extents.h"
#include "packer/serve/internal/drive_activity.h"
#include "packer/serve/internal/node_table.h"
#include "packer/warm/system_cache.h"

namespace seekless {
namespace {

// While nothing is read, the drive is checked this often; it must be idle from one check to the
// next.
constexpr auto kLook = std::chrono::seconds(1);
// Two loads are at least this far apart; within a load, a game seldom computes for longer.
constexpr auto kQuiet = std::chrono::seconds(4);
// A load looks up and opens files for up to this long before its first read.
constexpr auto kBeforeFirstRead = kQuiet / 2;
// A read that takes longer came from the disk.
constexpr auto kOfMemory = std::chrono::milliseconds(1);
// If a game reads less than 1 MiB after a pause, that is no load.
constexpr size_t kFewestPages = 256;

std::vector<PageKey> pages_of(uint32_t file, uint64_t offset, uint64_t length) {
  std::vector<PageKey> pages;
  for (uint64_t page = offset / kSeenPageBytes; page * kSeenPageBytes < offset + length; ++page)
    pages.push_back(page_key(file, page));
  return pages;
}

int64_t in_ns(std::chrono::steady_clock::time_point time) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(time.time_since_epoch()).count();
}

}  // namespace

ForeseenReads::ForeseenReads(Learned learned, ForeseeOptions options)
    : learned_(std::move(learned)),
      known_files_(learned_.files.size()),
      options_(std::move(options)),
      recogniser_(learned_),
      sweeper_(options_.folder, learned_.files, options_.shadow, options_.most_bytes,
               learned_.names, options_.folders),
      bursts_(1, LearnedRun{.is_start = true, .pages = {}}),
      around_(options_.around_bytes),
      last_read_(Clock::now()) {
  if (options_.folders.empty()) options_.folders = {options_.folder};
  for (uint32_t i = 0; i < known_files_; ++i) numbers_[learned_.files[i]] = i;
  for (uint32_t i = 0; i < learned_.names.size(); ++i) name_numbers_[learned_.names[i].path] = i;
}

void ForeseenReads::begin() {
  if (learned_.scenarios.empty()) return;
  sweeper_.add(plan_for(learned_, kCore, !options_.shadow.empty(), options_.gap_bytes));
  watching_ = std::jthread([this](const std::stop_token& stop) { watch_quiet(stop); });
}

void ForeseenReads::fetch_usual_next() {
  looked_for_next_ = true;
  const auto scenario = same_scenario(learned_, bursts_.back());
  const auto next = scenario ? usual_next(learned_, *scenario) : std::nullopt;
  if (!next) return;
  FetchPlan plan = plan_for(learned_, *next, !options_.shadow.empty(), options_.gap_bytes);
  for (const auto& [page, at] : plan.pages) next_pages_.insert(page);
  figures_.fetched_next.push_back(learned_.scenarios[*next].name);
  sweeper_.add(std::move(plan));
}

void ForeseenReads::watch_quiet(const std::stop_token& stop) {
  std::optional<DriveTransfers> before;
  std::unique_lock lock(mutex_);
  while (!ended_.wait_for(lock, stop, kLook, [&] { return stop.stop_requested(); })) {
    const auto now = transfers_of(options_.folders);
    const bool is_idle = now && now == before && now->waiting == 0;
    before = now;
    const bool is_over = !sweeper_.is_busy() && Clock::now() - last_read_ > kQuiet;
    if (!is_idle || !is_over || looked_for_next_) continue;
    sweeper_.let_go();
    fetch_usual_next();
  }
}

void ForeseenReads::looks_up(const std::string& path) {
  if (sweeper_.is_naming()) sweeper_.wait_for_names(kLongestWait);
  const std::lock_guard lock(mutex_);
  const size_t folder_end = path.rfind('/');
  if (folder_end != path.size() - 1)
    note_name(folder_end == std::string::npos ? "/" : path.substr(0, folder_end + 1));
  note_name(path);
}

// Names that are looked up again and again say nothing of a load.
void ForeseenReads::note_name(const std::string& path) {
  const auto next = static_cast<uint32_t>(learned_.names.size());
  if (next >= kMostLearnedNames && !name_numbers_.contains(path)) return;
  const auto [known, is_new] = name_numbers_.try_emplace(path, next);
  if (is_new) learned_.names.push_back({path});
  if (!looked_up_.insert(known->second).second) return;
  begin_burst_after_quiet();
  bursts_.back().names.push_back(known->second);
}

uint32_t ForeseenReads::open(const std::string& path, const ChangeStamp& stamp, uint32_t) {
  const std::lock_guard lock(mutex_);
  const auto next = static_cast<uint32_t>(learned_.files.size());
  const auto [known, is_new] = numbers_.try_emplace(path, next);
  if (is_new) learned_.files.push_back(path);
  // The same opened file is entered once, because games open the same files thousands of times.
  const auto number = static_cast<uint32_t>(opened_.size());
  const auto [last, is_first] = last_opened_.try_emplace(known->second, number);
  if (!is_first && opened_[last->second].stamp == stamp) return last->second;
  last->second = number;
  opened_.push_back({known->second, stamp});
  return number;
}

void ForeseenReads::changes(const std::string& path) {
  const std::lock_guard lock(mutex_);
  const auto found = numbers_.find(path);
  if (found == numbers_.end()) return;
  changed_.insert(found->second);
  if (found->second < learned_.shadow.stamps.size()) learned_.shadow.stamps[found->second] = {};
}

bool ForeseenReads::has_changed(const ForeseenFile& file) const {
  return changed_.contains(file.number);
}

void ForeseenReads::begin_burst_after_quiet() {
  const auto now = Clock::now();
  const bool was_quiet = now - last_read_ > kQuiet;
  last_read_ = now;
  looked_for_next_ = false;
  if (was_quiet && bursts_.back().pages.size() >= kFewestPages)
    bursts_.push_back({.is_start = false, .pages = {}, .began_ns = in_ns(now - kBeforeFirstRead)});
}

ForeseenReads::ForeseenFile ForeseenReads::note(const FileRead& read,
                                                std::span<const PageKey> pages) {
  const std::lock_guard lock(mutex_);
  ++figures_.reads;
  begin_burst_after_quiet();
  bool is_known = true;
  for (const PageKey page : pages) {
    if (seen_.size() >= kMostLearnedPages || !seen_.insert(page).second) continue;
    if (std::exchange(is_known, false)) bursts_.back().read_begins.insert(page);
    bursts_.back().pages.push_back(page);
  }
  // A read outside what is fetched in advance gets the drive at once.
  if (!next_pages_.empty() && !next_pages_.contains(pages.front())) {
    if (sweeper_.is_busy()) sweeper_.give_up();
    next_pages_.clear();
  }
  const auto scenario = recogniser_.note_read(pages.front());
  if (scenario) {
    figures_.recognised.push_back(learned_.scenarios[*scenario].name);
    sweeper_.add(plan_for(learned_, *scenario, !options_.shadow.empty(), options_.gap_bytes));
  }
  if (!recogniser_.agrees()) sweeper_.give_up();
  return opened_[read.file];
}

// Returns true if the file is unchanged since it was opened, and since it was copied.
bool ForeseenReads::is_in_shadow(const ForeseenFile& file, int descriptor) const {
  if (options_.shadow.empty() || has_changed(file) || file.number >= known_files_) return false;
  if (file.number >= learned_.shadow.stamps.size()) return false;
  struct stat status = {};
  return ::fstat(descriptor, &status) == 0 && stamp_of(status) == file.stamp &&
         file.stamp == learned_.shadow.stamps[file.number];
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
  const auto pages = pages_of(file.number, read.offset_bytes, length);
  const auto asked = Clock::now();
  file = note(read, pages);
  const ssize_t got = answer_by_shadow(file, pages, read, into.first(length))
                          ? static_cast<ssize_t>(length)
                          : answer_by_original(file, read, into);
  const std::lock_guard lock(mutex_);
  const double waited_s = std::chrono::duration<double>(Clock::now() - asked).count();
  bursts_.back().waited_s += waited_s;
  figures_.longest_wait_s = std::max(figures_.longest_wait_s, waited_s);
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
  // If the page was foreseen, and just didn't come in time, everything likely around it comes
  // anyway.
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
  ++figures_.shadow_reads;
  return true;
}

Learned ForeseenReads::finish() {
  watching_ = {};
  sweeper_.give_up();
  const std::lock_guard lock(mutex_);
  std::erase_if(bursts_, [](const LearnedRun& burst) {
    if (burst.is_start) return burst.pages.empty() && burst.names.empty();
    return burst.pages.size() < kFewestPages;
  });
  for (const LearnedLoad& load : learn_session(learned_, bursts_)) {
    const LearnedScenario& scenario = learned_.scenarios[load.scenario];
    loads_.push_back({scenario.name, scenario.is_start, load.began_ns});
  }
  // A shadow that is damaged or gone isn't used again; its name is kept, so that its file can be
  // removed.
  if (!options_.shadow.empty() && !sweeper_.is_shadow_good()) learned_.shadow.sections.clear();
  drop_unread(learned_, [&](const std::string& file) {
    return calls::is_there(options_.folder + "/" + file);
  });
  find_places();
  return std::move(learned_);
}

void ForeseenReads::find_places() {
  learned_.places.resize(learned_.files.size());
  for (size_t i = 0; i < learned_.files.size(); ++i) {
    auto places = read_extents(options_.folder + "/" + learned_.files[i]);
    if (!places) continue;
    learned_.places[i] = *std::move(places);
    learned_.places[i].path.clear();
  }
  for (LearnedName& name : learned_.names) {
    if (!name.path.ends_with('/')) continue;
    const auto list = read_folder_extents(options_.folder + "/" + name.path);
    if (list && !list->extents.empty()) name.place_bytes = list->extents.front().place_bytes;
  }
}

ForeseenFigures ForeseenReads::figures() {
  const std::lock_guard lock(mutex_);
  figures_.swept = sweeper_.swept();
  figures_.around_bytes = around_.fetched_bytes();
  return figures_;
}

}  // namespace seekless
