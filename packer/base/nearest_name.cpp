#include "packer/base/nearest_name.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace seekless {
namespace {

// Returns how many letters must be inserted, deleted or replaced to turn one text into the other
// (Wagner and Fischer 1974).
size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = std::exchange(row[0], i);
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = std::exchange(row[j], std::min({row[j] + 1, row[j - 1] + 1, replaced}));
    }
  }
  return row.back();
}

}  // namespace

std::optional<std::string_view> nearest_name(std::string_view written,
                                             std::span<const std::string_view> known) {
  constexpr size_t kLongestGuess = 64;
  if (known.empty() || written.size() > kLongestGuess) return std::nullopt;
  const auto nearest = std::ranges::min_element(
      known, {}, [&](std::string_view candidate) { return edit_distance(written, candidate); });
  if (edit_distance(written, *nearest) > 1 + nearest->size() / 3) return std::nullopt;
  return *nearest;
}

}  // namespace seekless
