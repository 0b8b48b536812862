// Decides which entries of an archive stay at its front, because some programs look for them there
// without reading the directory. The writing of archives and the forecast of their entries' places
// share this rule. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "runtime/asset_path.h"

namespace seekless {

// EPUB, OpenDocument, Krita and others have their type in `mimetype`, at byte 38 of the file.
// java.util.jar.JarInputStream finds a manifest and its signatures only before all other entries.
// Microsoft Office writes [Content_Types].xml first.
inline bool belongs_in_front(std::string_view name) {
  constexpr std::string_view kManifestFolder = "META-INF";
  const std::string_view folder = name.substr(0, name.find('/'));
  return name == "mimetype" || name == "[Content_Types].xml" ||
         compare_folded(folder, kManifestFolder) == 0;
}

// The first file of a .usdz is the scene that is shown. Keeping it in front does no harm in other
// archives.
inline bool is_scene(std::string_view name) {
  return name.ends_with(".usd") || name.ends_with(".usda") || name.ends_with(".usdc");
}

// Returns how many entries at the front stay there; `by_place` lists the entries in the order they
// lie.
template <typename NameOf>
size_t count_first(std::span<const uint32_t> by_place, const NameOf& name_of) {
  size_t count = !by_place.empty() && is_scene(name_of(by_place.front())) ? 1 : 0;
  while (count < by_place.size() && belongs_in_front(name_of(by_place[count]))) ++count;
  return count;
}

}  // namespace seekless
