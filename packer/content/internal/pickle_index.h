// Reads the pickle that is the index of a Ren'Py archive, without ever executing code from it. It
// knows the few instructions that such an index consists of, and refuses all others. It writes the
// same pickle with other numbers. Source of the instructions: pickletools of Python.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "packer/base/error.h"

namespace seekless {

// Holds an integer of the pickle, and which bytes push it.
struct PickledNumber {
  size_t begin = 0;
  size_t end = 0;
  uint64_t value = 0;
};

// Describes one stretch of a file: (place, length) or (place, length, first bytes).
struct PickledStretch {
  std::string name;
  uint32_t place = 0;          // index in PickledIndex::numbers
  uint32_t length = 0;         // index in PickledIndex::numbers
  uint64_t prefix_bytes = 0;   // these lie in the index, not in the archive's data
  bool is_part = false;        // the file has more stretches than this one
  bool is_name_bytes = false;  // the name was bytes, and some of them were over 127
};

struct PickledIndex {
  std::vector<PickledNumber> numbers;
  std::vector<PickledStretch> stretches;  // in the pickle's order
  std::string name_without_place;         // the last name with an empty list
  // Bytes that hold the lengths of parts of the pickle; readers don't need them.
  std::vector<std::pair<size_t, size_t>> frames;
};

// Fails with kind `damaged` for anything but a dictionary of names to lists of such tuples. Takes
// time and memory in proportion to the pickle. `file` is for messages.
Result<PickledIndex> read_pickled_index(std::string_view pickle, const std::string& file);

// Holds a number that replaces another.
struct ReplacedNumber {
  uint32_t number = 0;  // index in PickledIndex::numbers
  uint64_t value = 0;
};

// Returns the pickle with these numbers, each at most once and in ascending order.
std::string with_numbers(std::string_view pickle, const PickledIndex& index,
                         std::span<const ReplacedNumber> numbers);

}  // namespace seekless
