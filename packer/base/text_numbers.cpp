#include "packer/base/text_numbers.h"

#include <algorithm>
#include <functional>

namespace seekless {
namespace {

constexpr size_t kFirstSlots = 64;
constexpr size_t kChunkBytes = size_t{64} << 10;

uint32_t hash_of(std::string_view text) {
  return static_cast<uint32_t>(std::hash<std::string_view>()(text));
}

}  // namespace

TextNumbers::Slot& TextNumbers::slot_of(std::string_view text, uint32_t hash) {
  const size_t mask = slots_.size() - 1;
  size_t at = hash & mask;
  while (slots_[at].number != kFree &&
         (slots_[at].hash != hash || texts_[slots_[at].number] != text))
    at = (at + 1) & mask;
  return slots_[at];
}

void TextNumbers::make_room() {
  std::vector<Slot> old(std::max(kFirstSlots, slots_.size() * 2));
  old.swap(slots_);
  const size_t mask = slots_.size() - 1;
  for (const Slot& slot : old) {
    if (slot.number == kFree) continue;
    size_t at = slot.hash & mask;
    while (slots_[at].number != kFree) at = (at + 1) & mask;
    slots_[at] = slot;
  }
}

std::string_view TextNumbers::keep(std::string_view text) {
  if (text.size() > left_bytes_) {
    left_bytes_ = std::max(kChunkBytes, text.size());
    chunks_.push_back(std::make_unique_for_overwrite<char[]>(left_bytes_));
    end_ = chunks_.back().get();
  }
  const std::string_view kept(end_, text.size());
  end_ = std::ranges::copy(text, end_).out;
  left_bytes_ -= text.size();
  return kept;
}

TextNumbers::Numbered TextNumbers::number_of(std::string_view text) {
  if (texts_.size() * 2 >= slots_.size()) make_room();
  const uint32_t hash = hash_of(text);
  Slot& slot = slot_of(text, hash);
  if (slot.number != kFree) return {slot.number, false};
  texts_.push_back(keep(text));
  slot = {hash, static_cast<uint32_t>(texts_.size() - 1)};
  return {slot.number, true};
}

}  // namespace seekless
