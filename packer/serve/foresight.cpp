#include "packer/serve/foresight.h"

#include <algorithm>
#include <utility>

#include "packer/base/stop_thread.h"
#include "packer/foresee/bounded.h"
#include "packer/foresee/fetched_run.h"
#include "packer/foresee/longest_wait.h"
#include "packer/host/calls.h"
#include "packer/host/extents.h"
#include "packer/host/file_stamp.h"
#include "packer/serve/internal/drive_activity.h"
#include "packer/serve/internal/timed_questions.h"

namespace seekless {
namespace {

// While nothing is read, the drive is checked this often; it must be idle from one check to the
// next.
constexpr auto kLook = std::chrono::seconds(1);
// Two loads are at least this far apart; within a load, a game seldom computes for longer.
constexpr auto kQuiet = std::chrono::seconds(4);
// A load looks up and opens files for up to this long before its first read.
constexpr auto kBeforeFirstRead = kQuiet / 2;
// If a game reads less than 1 MiB after a pause, that is no load.
constexpr size_t kFewestPages = 256;
// A game that hasn't begun to read by then may never do so, while others use its drive.
constexpr auto kLongestAwaited = std::chrono::seconds(60);

int64_t in_ns(std::chrono::steady_clock::time_point time) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(time.time_since_epoch()).count();
}

// Returns the number under which the file system keeps a file; 0 if there is none. NTFS counts in
// the upper bits how often the number was used.
uint64_t number_in_system(const std::string& path) {
  constexpr uint64_t kNumber = (uint64_t{1} << 48) - 1;
  const auto stamp = change_stamp_of(path);
  return stamp && *stamp ? (*stamp)->inode & kNumber : 0;
}

struct FoundPlaces {
  FileExtents places;
  uint64_t number = 0;  // of a file without places
};

FoundPlaces places_of(const std::string& path) {
  auto places = read_extents(path);
  if (!places) return {.places = {}, .number = number_in_system(path)};
  places->path.clear();
  return {.places = *std::move(places)};
}

}  // namespace

Foresight::Foresight(Learned learned, ForeseeOptions options)
    : learned_(std::move(learned)),
      options_(std::move(options)),
      recogniser_(learned_),
      sweeper_(options_.folder, learned_.files, options_.shadow, options_.most_bytes,
               learned_.names, options_.folders, options_.manners),
      bursts_(1, LearnedRun{.is_start = true, .pages = {}}),
      last_read_(Clock::now()) {
  if (options_.folders.empty()) options_.folders = {options_.folder};
  for (uint32_t i = 0; i < learned_.files.size(); ++i) numbers_[learned_.files[i]] = i;
  for (uint32_t i = 0; i < learned_.names.size(); ++i) name_numbers_[learned_.names[i].path] = i;
}

FetchPlan Foresight::plan(uint32_t scenario) const {
  return plan_for(learned_, scenario, !options_.shadow.empty(), options_.gap_bytes,
                  options_.least_unplaced_bytes);
}

void Foresight::begin() {
  if (learned_.scenarios.empty()) return;
  began_ = Clock::now();
  if (options_.waits_for_known_start) {
    start_.emplace();
    core_names_ = names_of(plan(kCore));
  } else {
    fetch_for_burst(kCore);
  }
  watching_ = std::jthread([this](const std::stop_token& stop) { watch_quiet(stop); });
}

std::unordered_set<std::string> Foresight::names_of(const FetchPlan& fetched) const {
  std::unordered_set<std::string> names;
  for (const uint32_t file : fetched.files) names.insert(learned_.files[file]);
  for (const uint32_t name : fetched.names) names.insert(learned_.names[name].path);
  return names;
}

bool Foresight::is_at_work(Clock::time_point now) {
  const std::lock_guard lock(mutex_);
  return (awaits_known_start() && now - began_ <= kLongestAwaited) || sweeper_.is_busy();
}

bool Foresight::is_folder(const std::string& path) const {
  return path.ends_with('/') || name_numbers_.contains(path + '/');
}

bool Foresight::awaits_known_start() const {
  return start_ && start_->is_waiting();
}

void Foresight::note_in_start(bool is_core) {
  if (start_ && start_->note(is_core)) fetch_for_burst(kCore);
}

void Foresight::fetch(FetchPlan fetched) {
  if (!options_.sees_use_of_fetched) fetched_names_.merge(names_of(fetched));
  sweeper_.add(std::move(fetched));
}

void Foresight::fetch_for_burst(uint32_t scenario) {
  fetch(plan(scenario));
  if (!options_.sees_use_of_fetched) fetched_.emplace_back(bursts_.size() - 1, scenario);
}

void Foresight::fetch_usual_next() {
  looked_for_next_ = true;
  const auto scenario = same_scenario(learned_, bursts_.back());
  const auto next = scenario ? usual_next(learned_, *scenario) : std::nullopt;
  if (!next) return;
  FetchPlan fetched = plan(*next);
  for (const auto& [page, at] : fetched.pages) next_pages_.insert(page);
  figures_.fetched_next.push_back(learned_.scenarios[*next].name);
  next_ = next;
  fetch(std::move(fetched));
}

void Foresight::watch_quiet(const std::stop_token& stop) {
  std::optional<DriveTransfers> before;
  std::unique_lock lock(mutex_);
  while (!ended_.wait_for(lock, kLook, [&] { return stop.stop_requested(); })) {
    const auto now = transfers_of(options_.folders);
    const bool is_idle = now && now == before && now->waiting == 0;
    before = now;
    const bool is_over = !sweeper_.is_busy() && Clock::now() - last_read_ > kQuiet;
    if (!is_idle || !is_over || looked_for_next_) continue;
    sweeper_.let_go();
    fetch_usual_next();
  }
}

void Foresight::looks_up(const std::string& path, Clock::time_point now) {
  const std::lock_guard lock(mutex_);
  if (is_over_) return;
  // One file deep within the folder brings many folders' names with it.
  if (awaits_known_start() && !is_folder(path)) note_in_start(core_names_.contains(path));
  if (fetched_names_.contains(path)) return;
  const size_t folder_end = path.rfind('/');
  if (folder_end != path.size() - 1)
    note_name(folder_end == std::string::npos ? "/" : path.substr(0, folder_end + 1), now);
  note_name(path, now);
}

// Names that are looked up again and again say nothing of a load.
void Foresight::note_name(const std::string& path, Clock::time_point now) {
  const auto next = static_cast<uint32_t>(learned_.names.size());
  if (next >= kMostLearnedNames && !name_numbers_.contains(path)) return;
  const auto [known, is_new] = name_numbers_.try_emplace(path, next);
  if (is_new) learned_.names.push_back({path});
  if (!looked_up_.insert(known->second).second) return;
  begin_burst_after_quiet(now);
  bursts_.back().names.push_back(known->second);
}

uint32_t Foresight::number_of(const std::string& path) {
  const std::lock_guard lock(mutex_);
  const auto next = static_cast<uint32_t>(is_over_ ? numbers_.size() : learned_.files.size());
  const auto [known, is_new] = numbers_.try_emplace(path, next);
  if (is_new && !is_over_) learned_.files.push_back(path);
  return known->second;
}

std::optional<uint32_t> Foresight::drops_copy_of(const std::string& path) {
  const std::lock_guard lock(mutex_);
  const auto found = numbers_.find(path);
  if (found == numbers_.end()) return std::nullopt;
  if (found->second < learned_.shadow.stamps.size()) learned_.shadow.stamps[found->second] = {};
  return found->second;
}

void Foresight::begin_burst_after_quiet(Clock::time_point now) {
  const bool was_quiet = now - last_read_ > kQuiet;
  last_read_ = std::max(last_read_, now);
  looked_for_next_ = false;
  const bool was_fetched = !fetched_.empty() && fetched_.back().first == bursts_.size() - 1;
  if (!was_quiet || (bursts_.back().pages.size() < kFewestPages && !was_fetched)) return;
  bursts_.push_back({.is_start = false, .pages = {}, .began_ns = in_ns(now - kBeforeFirstRead)});
  if (next_ && !options_.sees_use_of_fetched) fetched_.emplace_back(bursts_.size() - 1, *next_);
  next_.reset();
}

void Foresight::reads(std::span<const PageKey> pages, Clock::time_point now) {
  if (pages.empty()) return;
  const std::lock_guard lock(mutex_);
  if (is_over_) return;
  ++figures_.reads;
  begin_burst_after_quiet(now);
  bool goes_on = false;  // false after a page that an earlier read has already read
  for (const PageKey page : pages) {
    const bool is_new = seen_.size() < kMostLearnedPages && seen_.insert(page).second;
    if (is_new && !goes_on) bursts_.back().read_begins.insert(page);
    goes_on = is_new;
    if (!is_new) continue;
    bursts_.back().pages.push_back(page);
  }
  note_in_start(recogniser_.is_core(pages.front()));
  // A read outside what is fetched in advance gets the drive at once.
  if (!next_pages_.empty() && !next_pages_.contains(pages.front())) {
    if (sweeper_.is_busy()) sweeper_.give_up();
    next_pages_.clear();
  }
  const auto scenario = recogniser_.note_read(pages.front());
  if (scenario) {
    figures_.recognised.push_back(learned_.scenarios[*scenario].name);
    fetch_for_burst(*scenario);
  }
  if (!recogniser_.agrees()) sweeper_.give_up();
}

void Foresight::has_waited(double seconds) {
  const std::lock_guard lock(mutex_);
  if (is_over_) return;
  bursts_.back().waited_s += seconds;
  figures_.longest_wait_s = std::max(figures_.longest_wait_s, seconds);
}

void Foresight::count_fetched_as_read() {
  for (size_t burst = 0; burst < bursts_.size(); ++burst) {
    std::vector<uint32_t> scenarios;
    for (const auto& [of_burst, scenario] : fetched_)
      if (of_burst == burst) scenarios.push_back(scenario);
    add_fetched(learned_, scenarios, bursts_[burst]);
  }
}

Learned Foresight::finish() {
  stop_thread(watching_, mutex_, ended_);
  sweeper_.give_up();
  const std::lock_guard lock(mutex_);
  is_over_ = true;
  count_fetched_as_read();
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
  // Another machine may be gone by now, and nobody waits for it. It may be mounted within the
  // game's folder, too.
  const bool is_far = options_.manners.is_far;
  TimedQuestions asked;
  drop_unread(learned_, [&](const std::string& file) {
    if (is_far) return true;
    return asked.ask([path = options_.folder + "/" + file] { return calls::is_there(path); })
        .value_or(true);
  });
  if (!is_far) find_places(asked);
  has_silent_files_ = !asked.are_answered();
  return std::move(learned_);
}

// Without an answer, the known places are kept.
void Foresight::find_places(TimedQuestions& asked) {
  learned_.places.resize(learned_.files.size());
  learned_.numbers.resize(learned_.files.size());
  for (size_t i = 0; i < learned_.files.size(); ++i) {
    const auto ask = [path = options_.folder + "/" + learned_.files[i]] { return places_of(path); };
    auto found = asked.ask(ask);
    if (!found) break;
    learned_.places[i] = std::move(found->places);
    learned_.numbers[i] = found->number;
  }
  if (std::ranges::count(learned_.numbers, 0) == std::ssize(learned_.numbers))
    learned_.numbers.clear();
  for (LearnedName& name : learned_.names) {
    if (!name.path.ends_with('/')) continue;
    const auto list =
        asked.ask([path = options_.folder + "/" + name.path] { return read_list_extents(path); });
    if (!list) break;
    if (*list && !(*list)->extents.empty()) name.place_bytes = (*list)->extents.front().place_bytes;
  }
}

ForeseenFigures Foresight::figures() {
  const std::lock_guard lock(mutex_);
  figures_.swept = sweeper_.swept();
  return figures_;
}

}  // namespace seekless
