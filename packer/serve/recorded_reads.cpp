#include "packer/serve/recorded_reads.h"

#include <algorithm>
#include <filesystem>

namespace seekless {

void RecordedReads::add(const Event& event) {
  if (!recording_.is_over()) static_cast<void>(recording_.window().add(event));
}

std::string RecordedReads::path_in_trace(const std::string& path) const {
  const std::string whole = folder_ + "/" + path;
  return path.starts_with("../") ? std::filesystem::path(whole).lexically_normal().string() : whole;
}

uint32_t RecordedReads::open(const std::string& path, const ChangeStamp& stamp, uint32_t thread) {
  const int64_t now_ns = recording_.now_ns();
  const uint32_t in_next = next_.open(path, stamp, thread);
  const auto lock = recording_.lock();
  const auto number = static_cast<uint32_t>(numbers_.size());
  const auto [found, is_new] = files_.try_emplace(path, number);
  if (is_new) {
    numbers_.push_back({number, in_next});
    if (!recording_.is_over()) static_cast<void>(recording_.sink().add_path(path_in_trace(path)));
  }
  add({.start_ns = now_ns,
       .duration_ns = 0,
       .path = found->second,
       .process = thread,
       .thread = thread,
       .kind = EventKind::open});
  return found->second;
}

ssize_t RecordedReads::read(const FileRead& read, std::span<std::byte> into) {
  Event event = {.start_ns = recording_.now_ns(),
                 .offset_bytes = read.offset_bytes,
                 .process = read.thread,
                 .thread = read.thread,
                 .kind = EventKind::read};
  FileRead handed_on = read;
  EventWindow::Running running;
  {
    const auto lock = recording_.lock();
    event.path = numbers_[read.file].in_trace;
    handed_on.file = numbers_[read.file].in_next;
    running = recording_.window().call_begins(event.start_ns);
  }
  const ssize_t got = next_.read(handed_on, into);
  {
    const auto lock = recording_.lock();
    event.duration_ns = std::min(recording_.now_ns() - event.start_ns, kTimeLimitNs);
    event.length_bytes = static_cast<uint64_t>(std::max<ssize_t>(got, 0));
    if (got > 0) add(event);
    static_cast<void>(recording_.window().call_ends(running));
  }
  recording_.give_way();
  return got;
}

}  // namespace seekless
