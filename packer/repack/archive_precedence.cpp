#include "packer/repack/archive_precedence.h"

#include <algorithm>
#include <numeric>

#include "packer/base/ascii.h"

namespace seekless {
namespace {

enum class NameOrder : uint8_t { none, less, greater };

char upper(char c) {
  return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
}

char same(char c) {
  return c;
}

// Compares two names. Returns `none` if they are equal, or if the first difference involves a
// character that isn't ASCII: some engines compare those as negative numbers.
template <typename Fold>
NameOrder compare(std::string_view a, std::string_view b, Fold fold) {
  for (size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    const auto in_a = static_cast<unsigned char>(fold(a[i]));
    const auto in_b = static_cast<unsigned char>(fold(b[i]));
    if (in_a == in_b) continue;
    if (std::max(in_a, in_b) >= 0x80) return NameOrder::none;
    return in_a < in_b ? NameOrder::less : NameOrder::greater;
  }
  if (a.size() == b.size()) return NameOrder::none;
  return a.size() < b.size() ? NameOrder::less : NameOrder::greater;
}

bool name_wins(std::string_view name, std::string_view over, WinningName winning) {
  const NameOrder wanted = winning == WinningName::last ? NameOrder::greater : NameOrder::less;
  return compare(name, over, same) == wanted && compare(name, over, upper) == wanted &&
         compare(name, over, lower_case) == wanted;
}

}  // namespace

bool ArchivePrecedence::surely_wins(uint32_t archive, uint32_t over) const {
  const RankedArchive& a = archives_[archive];
  const RankedArchive& b = archives_[over];
  if (a.folder != b.folder) return a.folder > b.folder;
  return (winning_ == WinningName::last ? archive > over : archive < over) &&
         name_wins(a.name, b.name, winning_);
}

std::vector<uint32_t> ArchivePrecedence::winners_first() const {
  std::vector<uint32_t> numbers(archives_.size());
  std::iota(numbers.begin(), numbers.end(), 0U);
  std::ranges::sort(numbers, [this](uint32_t a, uint32_t b) {
    if (archives_[a].folder != archives_[b].folder)
      return archives_[a].folder > archives_[b].folder;
    return winning_ == WinningName::last ? a > b : a < b;
  });
  return numbers;
}

std::optional<std::string> unbeaten_name(std::string_view name,
                                         const std::vector<std::string>& others,
                                         WinningName winning) {
  const auto unbeaten = std::ranges::find_if(
      others, [&](const std::string& other) { return !name_wins(name, other, winning); });
  if (unbeaten == others.end()) return std::nullopt;
  return *unbeaten;
}

std::optional<std::string> winning_name(std::string_view name,
                                        const std::vector<std::string>& others,
                                        WinningName winning) {
  // The new name consists of a winning prefix and the start of the name that is hardest to beat.
  const std::string_view front = winning == WinningName::last ? "zz_" : "!";
  for (size_t length = 0; length < 100; ++length)
    for (const std::string& other : others) {
      if (length > other.size()) continue;
      const std::string begin = other.substr(0, length);
      for (const std::string& beginning : {begin, fold_case(begin)})
        for (const std::string_view middle : {std::string_view(), front}) {
          const std::string candidate = std::string(beginning).append(middle).append(name);
          if (!unbeaten_name(candidate, others, winning)) return candidate;
        }
    }
  return std::nullopt;
}

}  // namespace seekless
