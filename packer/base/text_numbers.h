// Numbers texts, such as the paths of a trace: 0, 1, 2 and so on, in the order in which they first
// appear. Looking up a text allocates nothing.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace seekless {

class TextNumbers {
 public:
  struct Numbered {
    uint32_t number;
    bool is_new;  // the text had no number before
  };
  Numbered number_of(std::string_view text);
  // Valid as long as this object.
  std::string_view text(uint32_t number) const { return texts_[number]; }
  size_t size() const { return texts_.size(); }

 private:
  // A trace may open a hundred thousand files, more than the processor's cache holds. So a lookup
  // touches one slot and one text, and texts that came one after the other lie side by side.
  struct Slot {
    uint32_t hash = 0;
    uint32_t number = kFree;
  };
  static constexpr uint32_t kFree = UINT32_MAX;

  // Returns the slot of the text, or the free one where it belongs.
  Slot& slot_of(std::string_view text, uint32_t hash);
  void make_room();
  std::string_view keep(std::string_view text);

  std::vector<Slot> slots_;  // their count is 0 or a power of two; at least half of them are free
  std::vector<std::string_view> texts_;  // indexed by number; point into chunks_
  std::vector<std::unique_ptr<char[]>> chunks_;
  size_t left_bytes_ = 0;  // free bytes at the end of the last chunk
  char* end_ = nullptr;
};

}  // namespace seekless
