#include "packer/repack/internal/sequential_output.h"

#include <algorithm>
#include <cstring>

#include "packer/base/hasher.h"
#include "packer/base/stop_thread.h"

namespace seekless {
namespace {

constexpr size_t kBufferBytes = size_t{1} << 20;

}  // namespace

SequentialOutput::SequentialOutput(const PendingFile& file) : file_(file) {
  for (Buffer& buffer : buffers_) buffer.bytes.resize(kBufferBytes);
  writer_ = std::jthread([this](const std::stop_token& stop) {
    // An exception that leaves the thread would end the program.
    try {
      write_all(stop);
    } catch (const std::exception& exception) {
      fail(to_error(exception));
    }
  });
}

SequentialOutput::~SequentialOutput() {
  stop_thread(writer_, mutex_, changed_);
}

Result<void> SequentialOutput::append(std::string_view text) {
  while (!text.empty()) {
    SKL_TRY(const auto into, room());
    const size_t count = std::min(text.size(), into.size());
    std::memcpy(into.data(), text.data(), count);
    advance(count);
    text.remove_prefix(count);
  }
  return {};
}

Result<std::span<std::byte>> SequentialOutput::room() {
  if (buffers_[current_].filled == kBufferBytes) SKL_TRY_DO(hand_over());
  Buffer& buffer = buffers_[current_];
  return std::span(buffer.bytes).subspan(buffer.filled);
}

void SequentialOutput::advance(size_t count) {
  buffers_[current_].filled += count;
  position_bytes_ += count;
}

// Gives the current buffer to the writer thread, and waits for the next one.
Result<void> SequentialOutput::hand_over() {
  std::unique_lock lock(mutex_);
  buffers_[current_].is_full = true;
  changed_.notify_all();
  current_ = (current_ + 1) % buffers_.size();
  changed_.wait(lock, [this] { return error_ || !buffers_[current_].is_full; });
  if (error_) return std::unexpected(*error_);
  buffers_[current_].filled = 0;
  return {};
}

Result<uint64_t> SequentialOutput::finish() {
  {
    const std::lock_guard lock(mutex_);
    buffers_[current_].is_full = true;
    is_ended_ = true;
    changed_.notify_all();
  }
  writer_.join();
  if (error_) return std::unexpected(*error_);
  return hash_;
}

void SequentialOutput::fail(Error error) {
  const std::lock_guard lock(mutex_);
  error_ = std::move(error);
  changed_.notify_all();
}

void SequentialOutput::write_all(const std::stop_token& stop) {
  Hasher64 hasher;
  uint64_t at = 0;
  for (size_t next = 0;; next = (next + 1) % buffers_.size()) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock,
                  [&] { return stop.stop_requested() || is_ended_ || buffers_[next].is_full; });
    if (!buffers_[next].is_full) {
      if (!is_ended_) return;
      break;
    }
    lock.unlock();
    const auto bytes =
        std::span<const std::byte>(buffers_[next].bytes).first(buffers_[next].filled);
    hasher.add(bytes);
    auto written = file_.write_at(at, bytes);
    at += bytes.size();
    if (!written) return fail(std::move(written.error()));
    lock.lock();
    buffers_[next].is_full = false;
    changed_.notify_all();
  }
  hash_ = hasher.digest();
}

}  // namespace seekless
