// Which of a folder's archives wins where two have an entry of the same path: by their names, as
// engines sort them. From names to who is certain to win. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace seekless {

// Of the archives in one folder, the one counts whose name comes last (id Tech 3), or first.
enum class WinningName : uint8_t { last, first };

struct RankedArchive {
  uint32_t folder = 0;  // those given later win over those given before
  std::string name;     // in the folder
};

// Engines sort names byte by byte, or without regard to case: some as upper case, in which '_'
// comes after 'Z', some as lower case, in which it comes before 'z'. So one archive is certain to
// win over another only if it does in all three orders; and in the order in which they were given,
// which is that of the mounts where an engine doesn't sort.
class ArchivePrecedence {
 public:
  // In the order given.
  ArchivePrecedence(std::vector<RankedArchive> archives, WinningName winning)
      : archives_(std::move(archives)), winning_(winning) {}

  // Numbers in the order given.
  bool surely_wins(uint32_t archive, uint32_t over) const;
  // Some order for all of them: whoever is certain to win comes first.
  std::vector<uint32_t> winners_first() const;

 private:
  std::vector<RankedArchive> archives_;
  WinningName winning_;
};

// The first of the archives in a folder that one of this name isn't certain to win over.
std::optional<std::string> unbeaten_name(std::string_view name,
                                         const std::vector<std::string>& others,
                                         WinningName winning);

// A name that wins over all of them, made from `name`; none if there is none of a sensible length.
std::optional<std::string> winning_name(std::string_view name,
                                        const std::vector<std::string>& others,
                                        WinningName winning);

}  // namespace seekless
