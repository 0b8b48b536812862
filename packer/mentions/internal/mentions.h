// Finds which other assets a file mentions, and how. Takes the file's bytes and the index of names.
// Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "packer/content/content.h"
#include "packer/mentions/internal/definitions.h"
#include "packer/mentions/internal/name_index.h"

namespace seekless {

// Separates a kind's first part, the extension of the mentioning file, from the rest.
inline constexpr std::string_view kMentionedBy = " by ";

struct Mention {
  uint32_t asset = 0;
  // Names the kind of the mention; mentions of one kind are expected to be read equally often. A
  // kind consists of the mentioning file's extension, the way of mentioning, and the mentioned
  // file's extension.
  std::string kind;

  auto operator<=>(const Mention&) const = default;
};

// All arguments must outlive it. Thread-safe.
class Mentions {
 public:
  Mentions(const Content& content, const NameIndex& names, const Definitions& definitions)
      : content_(content), names_(names), definitions_(definitions) {}

  // Returns the mentions in `bytes`, the content of `asset`; each kind once. Returns nothing for a
  // file with so many mentions that it must be a list of everything.
  std::vector<Mention> in(uint32_t asset, std::string_view bytes) const;
  // Returns assets beside this one with a similar name: "rock.png" has "rock_norm.png".
  std::vector<Mention> beside(uint32_t asset) const;

 private:
  void add(std::string_view word, uint32_t from, std::string_view how, uint32_t asset,
           std::vector<Mention>& found) const;

  const Content& content_;
  const NameIndex& names_;
  const Definitions& definitions_;
};

}  // namespace seekless
