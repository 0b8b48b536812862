#include "runtime/decoded_frames.h"

#include <new>

namespace seekless::runtime {
namespace {

// The rest of the budget is for blocks read ahead and leases.
constexpr uint64_t kShareOfBudget = 4;

}  // namespace

DecodedFrames::DecodedFrames(BlockPool& pool, const Memory& memory)
    : pool_(pool), most_bytes_(pool.budget_bytes() / kShareOfBudget), nodes_(memory) {
  pool_.add_user(*this);
}

DecodedFrames::~DecodedFrames() {
  pool_.remove_user(*this);
}

Buffer DecodedFrames::find(uint64_t pack, uint32_t frame, uint64_t raw_bytes) {
  const std::lock_guard lock(mutex_);
  const auto place = places_.find(Key(pack, frame));
  if (place == places_.end() || place->second->raw_bytes < raw_bytes) return nullptr;
  entries_.splice(entries_.begin(), entries_, place->second);
  BlockBuffer* const buffer = place->second->buffer.get();
  buffer->retain();
  return Buffer(buffer);
}

bool DecodedFrames::has(uint64_t pack, uint32_t frame) const {
  const std::lock_guard lock(mutex_);
  return places_.contains(Key(pack, frame));
}

void DecodedFrames::keep(uint64_t pack, uint32_t frame, uint64_t raw_bytes,
                         Buffer decoded) noexcept {
  const Key key(pack, frame);
  try {
    while (!put(key, raw_bytes, decoded)) take_oldest();
  } catch (const std::bad_alloc&) {  // The frame is decoded again when it is wanted again.
  }
}

// Returns false if older entries must be removed first. Swaps an old buffer of the same frame into
// `decoded`, so that it is released after the lock.
bool DecodedFrames::put(const Key& key, uint64_t raw_bytes, Buffer& decoded) {
  const uint64_t size_bytes = decoded->bytes().size();
  const std::lock_guard lock(mutex_);
  auto place = places_.find(key);
  if (place == places_.end()) {
    if (!entries_.empty() && bytes_ + size_bytes > most_bytes_) return false;
    entries_.push_front({key, 0, nullptr});
    try {
      place = places_.emplace(key, entries_.begin()).first;
    } catch (...) {
      entries_.pop_front();
      throw;
    }
    bytes_ += size_bytes;
  }
  entries_.splice(entries_.begin(), entries_, place->second);
  if (entries_.front().raw_bytes >= raw_bytes) return true;
  entries_.front().raw_bytes = raw_bytes;
  std::swap(entries_.front().buffer, decoded);
  return true;
}

Buffer DecodedFrames::take_oldest() {
  const std::lock_guard lock(mutex_);
  if (entries_.empty()) return nullptr;
  Buffer oldest = std::move(entries_.back().buffer);
  bytes_ -= oldest->bytes().size();
  places_.erase(entries_.back().key);
  entries_.pop_back();
  return oldest;
}

void DecodedFrames::give_up_ahead() {
  while (take_oldest() != nullptr) {
  }
}

}  // namespace seekless::runtime
