#include "packer/serve/sweeper.h"

#include <algorithm>

#include <fcntl.h>
#include <unistd.h>

#include "packer/host/hasher.h"
#include "packer/warm/cache_filler.h"
#include "packer/warm/system_cache.h"

namespace seekless {
namespace {

constexpr size_t kBufferBytes = size_t{1} << 20;

bool read_fully(int file, std::span<std::byte> into, uint64_t at) {
  for (size_t done = 0; done < into.size();) {
    const ssize_t got =
        ::pread(file, into.data() + done, into.size() - done, static_cast<off_t>(at + done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    done += static_cast<size_t>(got);
  }
  return true;
}

}  // namespace

Sweeper::Sweeper(std::vector<std::string> files, const std::string& shadow, uint64_t most_bytes)
    : paths_(std::move(files)),
      opened_(paths_.size()),
      shadow_(shadow.empty() ? -1 : ::open(shadow.c_str(), O_RDONLY | O_CLOEXEC)),
      left_bytes_(most_bytes),
      buffer_(kBufferBytes),
      sweeping_([this](const std::stop_token& stop) { run(stop); }) {}

Sweeper::~Sweeper() {
  give_up();
}

void Sweeper::add(FetchPlan plan) {
  const std::lock_guard lock(mutex_);
  if (plan.chunks.empty() || (plan.is_shadow && shadow_.get() < 0)) return;
  const size_t chunks = plan.chunks.size();
  sweeps_.push_back({std::move(plan), std::vector<bool>(chunks), 0, false});
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
      changed_.wait(lock, stop, [this] {
        return std::ranges::any_of(sweeps_, [](const Sweep& of) { return !of.is_over; });
      });
      continue;
    }
    // A deque's elements stay where they are.
    Sweep& sweep = *next;
    const FetchChunk chunk = sweep.plan.chunks[sweep.done];
    const bool has_next = sweep.done + 1 < sweep.plan.chunks.size();
    const FetchChunk following = has_next ? sweep.plan.chunks[sweep.done + 1] : chunk;
    lock.unlock();
    ask_ahead(chunk);
    if (has_next) ask_ahead(following);
    const bool is_good = fetch(chunk);
    lock.lock();
    sweep.is_good[sweep.done] = is_good;
    left_bytes_ -= std::min(left_bytes_, chunk.length_bytes);
    if (++sweep.done == sweep.plan.chunks.size() || left_bytes_ == 0) sweep.is_over = true;
    changed_.notify_all();
  }
}

int Sweeper::descriptor_of(uint32_t file) {
  if (file == kShadowFile) return shadow_.get();
  auto& opened = opened_[file];
  if (!opened)
    opened = std::make_unique<Descriptor>(
        ::open(paths_[file].c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  return opened->get();
}

void Sweeper::ask_ahead(const FetchChunk& chunk) {
  const int file = descriptor_of(chunk.file);
  if (file >= 0) read_ahead(file, chunk.offset_bytes, chunk.length_bytes);
}

bool Sweeper::fetch(const FetchChunk& chunk) {
  const int file = descriptor_of(chunk.file);
  const bool is_original = chunk.file != kShadowFile;
  if (is_original && file >= 0 && is_cached(file, chunk.offset_bytes, chunk.length_bytes)) {
    const std::lock_guard lock(mutex_);
    swept_.cached_bytes += chunk.length_bytes;
    return true;
  }
  const auto into = std::span(buffer_).first(std::min<size_t>(chunk.length_bytes, kBufferBytes));
  const bool was_read = file >= 0 && read_fully(file, into, chunk.offset_bytes);
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

bool Sweeper::is_waited_for(std::span<const PageKey> pages) const {
  for (const Sweep& sweep : sweeps_) {
    if (sweep.is_over) continue;
    for (const PageKey page : pages) {
      const auto at = sweep.plan.pages.find(page);
      if (at != sweep.plan.pages.end() && at->second.chunk >= sweep.done) return true;
    }
  }
  return false;
}

void Sweeper::wait_for(std::span<const PageKey> pages, std::chrono::milliseconds most) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, most, [&] { return !is_waited_for(pages); });
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

SweptBytes Sweeper::swept() const {
  const std::lock_guard lock(mutex_);
  return swept_;
}

}  // namespace seekless
