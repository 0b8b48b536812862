// Which other assets a file mentions, and how. Takes its bytes and the names that there are. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "packer/content/content.h"
#include "packer/mentions/internal/definitions.h"
#include "packer/mentions/internal/name_index.h"

namespace seekless {

// In kinds of what a file's bytes mention: after the file's ending.
inline constexpr std::string_view kMentionedBy = " by ";

struct Mention {
  uint32_t asset = 0;
  // Mentions of one kind are alike in what comes of them: from which ending, how, and to which.
  std::string kind;

  auto operator<=>(const Mention&) const = default;
};

// All must outlive it. Safe from any thread.
class Mentions {
 public:
  Mentions(const Content& content, const NameIndex& names, const Definitions& definitions)
      : content_(content), names_(names), definitions_(definitions) {}

  // What `bytes`, the asset's own, mention, each kind once; nothing of a file that mentions so much
  // that it must be a list of all there is.
  std::vector<Mention> in(uint32_t asset, std::string_view bytes) const;
  // What is called like the asset and lies beside it: "rock.png" has "rock_norm.png".
  std::vector<Mention> beside(uint32_t asset) const;

 private:
  void add(std::string_view word, uint32_t from, std::string_view how, uint32_t asset,
           std::vector<Mention>& found) const;

  const Content& content_;
  const NameIndex& names_;
  const Definitions& definitions_;
};

}  // namespace seekless
