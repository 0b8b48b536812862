// Tells which of a folder's archives wins if two have an entry with the same path. Engines decide
// that by the archives' names, but sort them in different ways. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace seekless {

// Tells which archive of a folder wins: the one whose name sorts last (id Tech 3), or first.
enum class WinningName : uint8_t { last, first };

struct RankedArchive {
  uint32_t folder = 0;  // later folders win over earlier ones
  std::string name;     // file name in the folder
};

// Engines sort names byte by byte, or ignore case: some as upper case, in which '_' comes after
// 'Z', some as lower case, in which it comes before 'z'. So one archive certainly wins over another
// only if it wins in all three orders. It must also win in the order in which the archives were
// given, which is the order of mounting for engines that don't sort.
class ArchivePrecedence {
 public:
  // `archives` are in the order given.
  ArchivePrecedence(std::vector<RankedArchive> archives, WinningName winning)
      : archives_(std::move(archives)), winning_(winning) {}

  // Archives are numbered in the order given.
  bool surely_wins(uint32_t archive, uint32_t over) const;
  // Returns all archives, sorted so that each comes before those over which it is certain to win.
  std::vector<uint32_t> winners_first() const;

 private:
  std::vector<RankedArchive> archives_;
  WinningName winning_;
};

// Returns the first of the folder's archives that `name` isn't certain to win over.
std::optional<std::string> unbeaten_name(std::string_view name,
                                         const std::vector<std::string>& others,
                                         WinningName winning);

// Returns a name, made from `name`, that wins over all archives. Empty if there is none of a
// sensible length.
std::optional<std::string> winning_name(std::string_view name,
                                        const std::vector<std::string>& others,
                                        WinningName winning);

}  // namespace seekless
