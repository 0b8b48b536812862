#include "packer/serve/internal/sweeper.h"

#include <algorithm>
#include <cerrno>

#include "packer/base/hasher.h"
#include "packer/base/stop_thread.h"
#include "packer/host/calls.h"
#include "packer/host/kept_elsewhere.h"
#include "packer/serve/internal/descriptor_budget.h"
#include "packer/serve/internal/name_sweep.h"
#include "packer/warm/cache_filler.h"
#include "packer/warm/system_cache.h"

namespace seekless {
namespace {

constexpr size_t kBufferBytes = size_t{1} << 20;
// The sweep pauses at most this long before each chunk, so that a program that reads for ever can't
// keep the others waiting.
constexpr auto kLongestAside = std::chrono::milliseconds(40);
// All pauses between names together: the program waits for names.
constexpr auto kLongestAsideOfNames = std::chrono::milliseconds(400);
// Looking at the counts takes 30 us.
constexpr auto kBetweenCounts = std::chrono::milliseconds(2);

bool read_fully(int file, std::span<std::byte> into, uint64_t at) {
  for (size_t done = 0; done < into.size();) {
    const int64_t got = calls::read_at(file, into.data() + done, into.size() - done, at + done);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    done += static_cast<size_t>(got);
  }
  return true;
}

}  // namespace

Sweeper::Sweeper(std::string folder, std::vector<std::string> files, const std::string& shadow,
                 uint64_t most_bytes, std::vector<LearnedName> names,
                 const std::vector<std::string>& drives_of, SweepManners manners)
    : folder_(std::move(folder)),
      files_(std::move(files)),
      names_(std::move(names)),
      opened_(descriptor_budget().files),
      shadow_(shadow.empty() ? -1 : calls::open_to_read(shadow, false)),
      left_bytes_(most_bytes),
      buffer_(kBufferBytes),
      manners_(std::move(manners)),
      unseen_reads_(drives_of.empty() ? std::vector{folder_} : drives_of),
      far_([this](uint64_t read_bytes) {
        const std::lock_guard lock(mutex_);
        swept_.fetched_bytes += read_bytes;
      }),
      sweeping_([this](const std::stop_token& stop) { run(stop); }) {}

Sweeper::~Sweeper() {
  give_up();
  stop_thread(sweeping_, mutex_, changed_);
}

void Sweeper::add(FetchPlan plan) {
  const std::lock_guard lock(mutex_);
  if (plan.chunks.empty() && plan.names.empty()) return;
  if (plan.is_shadow && shadow_.get() < 0) return;
  sweeps_.emplace_back(std::move(plan));
  is_busy_ = true;
  changed_.notify_all();
}

void Sweeper::give_up() {
  const std::lock_guard lock(mutex_);
  for (Sweep& sweep : sweeps_) sweep.is_over = true;
  is_busy_ = false;
  changed_.notify_all();
}

void Sweeper::run(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    const auto next = std::ranges::find_if(sweeps_, [](const Sweep& of) { return !of.is_over; });
    if (next == sweeps_.end()) {
      is_busy_ = false;
      lock.unlock();
      close_files();
      lock.lock();
      changed_.wait(lock, [&] {
        return stop.stop_requested() ||
               std::ranges::any_of(sweeps_, [](const Sweep& of) { return !of.is_over; });
      });
      continue;
    }
    // Elements of a deque don't move.
    Sweep& sweep = *next;
    if (!sweep.has_names) {
      sweep.has_names = true;
      lock.unlock();
      if (manners_.is_far)
        begin_far_names(sweep, stop);
      else if (manners_.looks_names_up)
        fetch_names_of(sweep, stop);
      lock.lock();
      if (sweep.plan.chunks.empty()) sweep.is_over = true;
      continue;
    }
    if (is_far(sweep)) {
      begin_far(sweep, lock, stop);
      continue;
    }
    lock.unlock();
    look_for_unseen_reads();
    lock.lock();
    if (!sweep.order.is_hurried()) stand_aside(lock, stop);
    if (sweep.is_over || stop.stop_requested()) continue;
    lock.unlock();
    close_wanted_files();
    lock.lock();
    if (sweep.is_over) continue;
    const uint32_t chunk = sweep.order.next().value();
    const auto asked = sweep.order.next_few(
        std::min<size_t>(manners_.chunks_asked_for, descriptor_budget().files));
    lock.unlock();
    for (const uint32_t one : asked) ask_ahead(sweep, one);
    const bool is_good = fetch(sweep.plan.chunks[chunk], sweep.was_cached[chunk].value());
    lock.lock();
    finish(sweep, chunk, is_good);
  }
  lock.unlock();
  close_files();
}

bool Sweeper::is_dropped(const Sweep& sweep, const std::stop_token& stop) {
  const std::lock_guard lock(mutex_);
  return sweep.is_over || stop.stop_requested();
}

void Sweeper::begin_far_names(const Sweep& sweep, const std::stop_token& stop) {
  for (const uint32_t name : sweep.plan.names)
    if (!far_.begin({.path = folder_ + "/" + names_[name].path},
                    [&] { return is_dropped(sweep, stop); }))
      return;
}

void Sweeper::begin_far(Sweep& sweep, std::unique_lock<std::mutex>& lock,
                        const std::stop_token& stop) {
  // A server takes about as much for one request; more are split up by the system anyway.
  constexpr uint64_t kPieceBytes = uint64_t{128} << 10;
  const uint32_t number = sweep.order.next().value();
  const FetchChunk& chunk = sweep.plan.chunks[number];
  lock.unlock();
  const auto is_over = [&] { return is_dropped(sweep, stop); };
  bool goes_on = true;
  for (uint64_t done = 0; goes_on && done < chunk.length_bytes; done += kPieceBytes)
    goes_on = far_.begin({.path = folder_ + "/" + files_[chunk.file],
                          .offset_bytes = chunk.offset_bytes + done,
                          .length_bytes = std::min(kPieceBytes, chunk.length_bytes - done)},
                         is_over);
  lock.lock();
  if (goes_on) finish(sweep, number, true);
}

void Sweeper::close_files() {
  opened_.close_all();
  if (holds_files_ && manners_.holds_files) manners_.holds_files(false);
  holds_files_ = false;
}

bool Sweeper::must_let_go() {
  if (!must_let_go_ && manners_.must_let_go) must_let_go_ = manners_.must_let_go();
  return must_let_go_;
}

void Sweeper::close_wanted_files() {
  if (!must_let_go()) return;
  must_let_go_ = false;
  close_files();
  std::this_thread::sleep_for(manners_.after_others);
}

void Sweeper::stand_aside(std::unique_lock<std::mutex>& lock, const std::stop_token& stop) {
  using Clock = std::chrono::steady_clock;
  const auto begun = Clock::now();
  if (begun < turn_ends_) return;
  const auto latest = begun + kLongestAside;
  while (!stop.stop_requested()) {
    const int reading = others_reading_;
    const auto until = reading > 0 ? latest : std::min(latest, others_read_);
    const auto now = Clock::now();
    if (now >= until) {
      turn_ends_ = now + manners_.turn;
      return;
    }
    const auto next_look = manners_.must_let_go ? std::min(until, now + kBetweenCounts) : until;
    changed_.wait_until(lock, next_look,
                        [&] { return stop.stop_requested() || others_reading_ != reading; });
    lock.unlock();
    look_for_unseen_reads();
    const bool is_wanted = must_let_go();
    lock.lock();
    if (is_wanted) return;
  }
}

void Sweeper::look_for_unseen_reads() {
  const auto now = std::chrono::steady_clock::now();
  if (now - looked_for_unseen_ < kBetweenCounts) return;
  looked_for_unseen_ = now;
  if (!unseen_reads_.have_come()) return;
  const std::lock_guard lock(mutex_);
  others_read_ = std::max(others_read_, now + manners_.after_others);
}

bool Sweeper::has_brought(PageKey page) const {
  const std::lock_guard lock(mutex_);
  return std::ranges::any_of(sweeps_, [page](const Sweep& sweep) {
    const auto at = sweep.plan.pages.find(page);
    return at != sweep.plan.pages.end() && !sweep.plan.is_shadow &&
           sweep.order.is_done(at->second.chunk);
  });
}

bool Sweeper::will_bring(PageKey page) {
  const std::lock_guard lock(mutex_);
  return awaited({&page, 1}).has_value();
}

void Sweeper::other_read_begins() {
  const std::lock_guard lock(mutex_);
  ++others_reading_;
  changed_.notify_all();
}

void Sweeper::other_read_ends(bool needed_disk) {
  const std::lock_guard lock(mutex_);
  --others_reading_;
  if (needed_disk) others_read_ = std::chrono::steady_clock::now() + manners_.after_others;
  changed_.notify_all();
}

void Sweeper::other_read_was() {
  other_read_begins();
  other_read_ends(true);
}

void Sweeper::finish(Sweep& sweep, uint32_t chunk, bool is_good) {
  sweep.order.done(chunk);
  sweep.is_good[chunk] = is_good;
  left_bytes_ -= std::min(left_bytes_, sweep.plan.chunks[chunk].length_bytes);
  if (!sweep.order.next() || left_bytes_ == 0) sweep.is_over = true;
  changed_.notify_all();
}

int Sweeper::descriptor_of(uint32_t file) {
  if (file == kShadowFile) return shadow_.get();
  if (const Descriptor* opened = opened_.find(file)) return opened->get();
  if (!holds_files_ && manners_.holds_files) manners_.holds_files(true);
  holds_files_ = true;
  const std::string path = folder_ + "/" + files_[file];
  const int opened = is_kept_elsewhere(path) ? -1 : calls::open_to_read(path, false);
  return opened_.add(file, Descriptor(opened)).get();
}

void Sweeper::fetch_names_of(const Sweep& sweep, const std::stop_token& stop) {
  std::vector<LearnedName> names;
  for (const uint32_t file : sweep.plan.files) names.push_back({files_[file]});
  for (const uint32_t name : sweep.plan.names) names.push_back(names_[name]);
  is_naming_ = true;
  using Clock = std::chrono::steady_clock;
  Clock::duration left = kLongestAsideOfNames;
  fetch_names(folder_, names, [&] {
    look_for_unseen_reads();
    std::unique_lock stopped(mutex_);
    const auto begun = Clock::now();
    if (left > Clock::duration::zero()) stand_aside(stopped, stop);
    left -= Clock::now() - begun;
    return sweep.is_over || stop.stop_requested();
  });
  const std::lock_guard lock(mutex_);
  is_naming_ = false;
  changed_.notify_all();
}

void Sweeper::wait_for_names(std::chrono::milliseconds most) {
  const auto begun = std::chrono::steady_clock::now();
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, std::min<std::chrono::nanoseconds>(most, left_to_wait_for_names_),
                    [&] { return !is_naming(); });
  left_to_wait_for_names_ -= std::min<std::chrono::nanoseconds>(
      left_to_wait_for_names_, std::chrono::steady_clock::now() - begun);
}

void Sweeper::ask_ahead(Sweep& sweep, uint32_t chunk) {
  if (sweep.was_cached[chunk]) return;
  const FetchChunk& next = sweep.plan.chunks[chunk];
  if (manners_.fetches) manners_.fetches(next);
  const int file = descriptor_of(next.file);
  const bool there = file >= 0 && is_cached(file, next.offset_bytes, next.length_bytes);
  sweep.was_cached[chunk] = there;
  if (file >= 0 && !there) read_ahead(file, next.offset_bytes, next.length_bytes);
}

bool Sweeper::fetch(const FetchChunk& chunk, bool was_cached) {
  const int file = descriptor_of(chunk.file);
  const bool is_original = chunk.file != kShadowFile;
  if (is_original && was_cached) {
    mapped_.keep(file, chunk.offset_bytes, chunk.length_bytes);
    const std::lock_guard lock(mutex_);
    swept_.cached_bytes += chunk.length_bytes;
    return true;
  }
  const auto into = std::span(buffer_).first(std::min<size_t>(chunk.length_bytes, kBufferBytes));
  const bool was_read = file >= 0 && read_fully(file, into, chunk.offset_bytes);
  if (was_read) mapped_.keep(file, chunk.offset_bytes, chunk.length_bytes);
  bool is_good = was_read;
  if (was_read && !is_original) {
    Hasher64 hasher;
    hasher.add(into);
    is_good = hasher.digest() == chunk.hash;
  }
  const std::lock_guard lock(mutex_);
  swept_.fetched_bytes += chunk.length_bytes;
  swept_.damaged_chunks += is_good || is_original ? 0 : 1;
  return is_good;
}

std::optional<std::pair<Sweeper::Sweep*, uint32_t>> Sweeper::awaited(
    std::span<const PageKey> pages) {
  for (Sweep& sweep : sweeps_) {
    if (sweep.is_over || is_far(sweep)) continue;
    for (const PageKey page : pages) {
      const auto at = sweep.plan.pages.find(page);
      if (at != sweep.plan.pages.end() && !sweep.order.is_done(at->second.chunk))
        return std::pair(&sweep, at->second.chunk);
    }
  }
  return std::nullopt;
}

void Sweeper::wait_for(std::span<const PageKey> pages, std::chrono::milliseconds most,
                       std::chrono::milliseconds hurry) {
  std::unique_lock lock(mutex_);
  const auto has_come = [&] { return !awaited(pages); };
  const auto first = awaited(pages);
  if (!first) return;
  const bool goes_on = first->first->order.goes_on(first->second);
  if (!goes_on && changed_.wait_for(lock, most, has_come)) return;
  if (is_naming()) return;  // nothing could be hurried
  if (const auto late = awaited(pages)) late->first->order.hurry(late->second);
  changed_.wait_for(lock, hurry, has_come);
}

bool Sweeper::copy(std::span<const PageKey> pages, std::span<std::byte> into) {
  std::vector<uint64_t> places;
  {
    const std::lock_guard lock(mutex_);
    for (const PageKey page : pages) {
      std::optional<uint64_t> place;
      for (const Sweep& sweep : sweeps_) {
        if (!sweep.plan.is_shadow) continue;
        const auto at = sweep.plan.pages.find(page);
        if (at != sweep.plan.pages.end() && sweep.is_good[at->second.chunk])
          place = at->second.shadow_bytes;
      }
      if (!place) return false;
      places.push_back(*place);
    }
  }
  for (size_t i = 0; i < places.size();) {
    size_t end = i + 1;
    while (end < places.size() && places[end] == places[end - 1] + kSeenPageBytes) ++end;
    const size_t begin = i * kSeenPageBytes;
    if (begin >= into.size()) break;
    const size_t length = std::min((end - i) * kSeenPageBytes, into.size() - begin);
    if (!read_fully(shadow_.get(), into.subspan(begin, length), places[i])) return false;
    i = end;
  }
  return true;
}

bool Sweeper::is_shadow_good() const {
  return shadow_.get() >= 0 && swept().damaged_chunks == 0;
}

SweptBytes Sweeper::swept() const {
  const std::lock_guard lock(mutex_);
  return swept_;
}

}  // namespace seekless
