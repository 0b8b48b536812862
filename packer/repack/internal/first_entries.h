// Which entries of an archive stay at its front, since there is where others look for them without
// reading the directory. One rule, for what writes archives and for what predicts where entries
// will lie. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "runtime/asset_path.h"

namespace seekless {

// EPUB, OpenDocument, Krita and others have their type in `mimetype`, at byte 38 of the file;
// java.util.jar.JarInputStream finds a manifest, and then its signatures, only before all other
// entries; Office writes its types first.
inline bool belongs_in_front(std::string_view name) {
  constexpr std::string_view kManifestFolder = "META-INF";
  const std::string_view folder = name.substr(0, name.find('/'));
  return name == "mimetype" || name == "[Content_Types].xml" ||
         compare_folded(folder, kManifestFolder) == 0;
}

// The first file of a .usdz is the scene that is shown; in any other archive it may as well stay.
inline bool is_scene(std::string_view name) {
  return name.ends_with(".usd") || name.ends_with(".usda") || name.ends_with(".usdc");
}

// How many of the first of `by_place`, the entries as they lie, stay there.
template <typename NameOf>
size_t count_first(std::span<const uint32_t> by_place, const NameOf& name_of) {
  size_t count = !by_place.empty() && is_scene(name_of(by_place.front())) ? 1 : 0;
  while (count < by_place.size() && belongs_in_front(name_of(by_place[count]))) ++count;
  return count;
}

}  // namespace seekless
