// Makes pack sets of content that lies in archives.
#pragma once

#include <cstdint>
#include <string>

#include "tests/content/zip_builder.h"
#include "tests/pack/set_maker.h"

namespace seekless {

// Adds an asset from a new archive to the last pack.
inline void add_zipped(SetMaker& set, const std::string& path, const std::string& content,
                       uint16_t method) {
  ZipBuilder zip{.items = {{.name = path, .content = content, .method = method}}};
  const std::string bytes = zip.build();
  const auto source = static_cast<uint32_t>(set.layout.sources.size());
  const std::string file =
      set.content_folder().write("zip-" + std::to_string(source) + ".zip", bytes);
  set.layout.sources.push_back(
      {.path = set.layout.paths.add(file), .size_bytes = bytes.size(), .kind = SourceKind::zip});
  set.layout.packs.back().assets.push_back({.path = set.layout.paths.add(path),
                                            .size_bytes = content.size(),
                                            .source = source,
                                            .entry = 0,
                                            .crc32 = crc32_of(content)});
}

}  // namespace seekless
