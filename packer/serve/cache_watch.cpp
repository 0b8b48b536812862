#include "packer/serve/cache_watch.h"

#include <algorithm>
#include <cerrno>
#include <numeric>
#include <thread>
#include <utility>

#include <poll.h>

namespace seekless {
namespace {

using std::chrono::milliseconds;

constexpr auto kBetweenTicks = milliseconds(50);
// Reading is over when no read has come for this long.
constexpr auto kPause = milliseconds(1000);
// Looking may use one part in this many of a processor. The second limit holds while something is
// being fetched, or may be.
constexpr int kLookingPart = 50;
constexpr int kLookingPartAtWork = 10;
// If the drives don't count reads, looks at the cache this often.
constexpr auto kBetweenBlindLooks = milliseconds(2000);
// The game waits for the first look.
constexpr auto kLongestLookBefore = milliseconds(100);
// The sweep pauses for this long after other reads: longer than in a served folder, because a read
// is seen only once it is over.
constexpr auto kAfterUnforeseen = milliseconds(20);
// With these, the sweep has the disk most of the time, and ends before the game needs much.
constexpr auto kTurn = milliseconds(80);
constexpr size_t kChunksAskedFor = 32;
// The game's start is delayed by at most this part of the time for which the first start waited for
// the disk, and by at most this long.
constexpr double kStartWaitsPart = 0.5;
constexpr auto kLongestStartWait = milliseconds(5000);
constexpr auto kBetweenLooksAtStart = milliseconds(5);
// The next start may not need pages that only one start has read.
constexpr uint32_t kFewestStarts = 2;

class Nothing final : public CacheFinds {
 public:
  void name(const std::string&) override {}
  void pages(const std::string&, uint64_t, uint64_t) override {}
};

uint32_t starts_known(const Learned& known) {
  uint32_t starts = 0;
  for (const LearnedScenario& scenario : known.scenarios)
    if (scenario.is_start) starts += scenario.runs;
  return starts;
}

// Returns how long the game's start may wait for the pages that every start reads.
Foresight::Clock::duration wait_of_start(const Learned& known) {
  double least_s = std::chrono::duration<double>(kLongestStartWait).count();
  for (const LearnedScenario& scenario : known.scenarios)
    if (scenario.is_start) least_s = std::min(least_s, scenario.first_waited_s * kStartWaitsPart);
  return std::chrono::duration_cast<Foresight::Clock::duration>(
      std::chrono::duration<double>(least_s));
}

// Returns true once `end` can be read, or is closed.
bool has_ended(int end) {
  pollfd waiting = {end, POLLIN, 0};
  const int found = ::poll(&waiting, 1, static_cast<int>(kBetweenTicks.count()));
  return found > 0 || (found < 0 && errno != EINTR);
}

}  // namespace

// Passes new lookups and pages on to Foresight.
class CacheWatch::Finds final : public CacheFinds {
 public:
  explicit Finds(Foresight& foresight) : foresight_(foresight) {}

  void is_at(Clock::time_point first, Clock::time_point last) {
    at_ = first;
    last_ = last;
  }
  void name(const std::string& path) override { foresight_.looks_up(path, at()); }
  void pages(const std::string& path, uint64_t first_page, uint64_t pages) override {
    has_read_ = true;
    std::vector<PageKey> keys(pages);
    std::iota(keys.begin(), keys.end(), page_key(foresight_.number_of(path), first_page));
    foresight_.reads(keys, at());
  }
  bool has_read() const { return has_read_; }

 private:
  // The first find may begin a load; later finds belong to the same load.
  Clock::time_point at() { return std::exchange(at_, last_); }

  Foresight& foresight_;
  Clock::time_point at_;
  Clock::time_point last_;
  bool has_read_ = false;
};

CacheWatch::CacheWatch(const std::string& game, const std::vector<std::string>& folders)
    : look_(game, folders), others_(folders) {
  const auto until = Clock::now() + kLongestLookBefore;
  Nothing nothing;
  knows_before_ = look_.look(nothing, true, [until] { return Clock::now() > until; });
}

CacheWatch::~CacheWatch() = default;

void CacheWatch::look(Finds& finds, bool lists_all) {
  const auto now = Clock::now();
  finds.is_at(began_, last_read_);
  look_.look(finds, lists_all, [] { return false; });
  if (waited_s_ > 0) foresight_->has_waited(std::exchange(waited_s_, 0));
  const int part = foresight_->is_at_work() ? kLookingPartAtWork : kLookingPart;
  next_look_ = Clock::now() + (Clock::now() - now) * part;
}

// Looks while other processes read, and once more when they have stopped.
void CacheWatch::look_often(Finds& finds) {
  const auto now = Clock::now();
  const bool is_blind = !others_.are_counted();
  waited_s_ += others_.busy_s();
  if (others_.have_come() || (is_blind && now > next_look_)) {
    if (!std::exchange(is_active_, true)) began_ = now - kBetweenTicks;
    last_read_ = now;
  }
  if (!is_active_) return;
  const bool is_over = is_blind || now - last_read_ > kPause;
  if (!is_over && now < next_look_) return;
  look(finds, is_over);
  if (is_blind) next_look_ += kBetweenBlindLooks;
  is_active_ = !is_over;
}

void CacheWatch::begin(Learned known, ForeseeOptions options) {
  const auto now = Clock::now();
  const bool knows_starts = options.knows_command && starts_known(known) >= kFewestStarts;
  const auto until = now + (knows_starts ? wait_of_start(known) : Clock::duration::zero());
  files_ = known.files;
  if (!knows_before_) before_ = known;
  options.shadow.clear();
  options.sees_use_of_fetched = false;
  options.waits_for_known_start = !knows_starts;
  options.manners.after_others = kAfterUnforeseen;
  options.manners.turn = kTurn;
  options.manners.chunks_asked_for = kChunksAskedFor;
  options.manners.fetches = [this](const FetchChunk& chunk) {
    look_.ignore(files_[chunk.file], chunk.offset_bytes, chunk.length_bytes);
  };
  foresight_ = std::make_unique<Foresight>(std::move(known), std::move(options));
  foresight_->begin();
  while (foresight_->sweeper().is_busy() && Clock::now() < until)
    std::this_thread::sleep_for(kBetweenLooksAtStart);
  began_ = last_read_ = Clock::now();
  others_.busy_s();
  waited_s_ = std::chrono::duration<double>(began_ - now).count();
}

WatchedEnd CacheWatch::watch(int end) {
  Finds finds(*foresight_);
  while (!has_ended(end)) look_often(finds);
  waited_s_ += others_.busy_s();
  if (!is_active_) began_ = last_read_ = Clock::now();
  look(finds, true);
  WatchedEnd ended = end_of(*foresight_);
  ended.has_read = finds.has_read();
  // Otherwise pages that were in memory before the game started would count as read by it.
  if (!knows_before_) ended.learned = std::move(before_);
  return ended;
}

}  // namespace seekless
