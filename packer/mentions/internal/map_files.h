// A map's own files: they are called like it, or lie in a folder that is. Which of them say that a
// map is there is found out on recorded ones. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "packer/content/content.h"
#include "packer/mentions/internal/mentions.h"

namespace seekless {

struct RecordedMap {
  std::string name;              // without its scenario's folder
  std::vector<uint32_t> assets;  // that its recordings read, rising
};

class MapFiles {
 public:
  // None: most maps have no file that they alone read, at one place
  // ("maps/*.bsp", "tracks/*/scene.xml").
  static std::optional<MapFiles> find(const Content& content, const std::vector<RecordedMap>& maps);

  // Names of the maps that have such a file, and aren't recorded; rising.
  const std::vector<std::string>& others() const { return others_; }
  // A map's own files; the kind says where they lie and how they end.
  const std::vector<Mention>& of(std::string_view map) const;

 private:
  void find_own(const Content& content);

  std::vector<std::string> others_;
  std::map<std::string, std::vector<Mention>> own_;  // by name, recorded maps' too
};

}  // namespace seekless
