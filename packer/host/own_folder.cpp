#include "packer/host/own_folder.h"

#include <fmt/format.h>

#include "packer/host/files.h"
#include "packer/host/hasher.h"

namespace seekless {

Result<std::string> state_path(const std::string& command, const std::string& place,
                               const std::string& folder) {
  const std::string own = state_folder();
  if (place.empty() && own.empty())
    return failed({.place = command,
                   .expected = "a home folder, to keep in it what is remembered of the game",
                   .found = "none",
                   .advice = "name a place with --state"});
  const std::string above = place.empty() ? own + "/" + command : place;
  if (auto made = make_folders(above); !made) return std::unexpected(made.error());
  Hasher64 hasher;
  add_text(hasher, folder);
  return fmt::format("{}/{}-{:016x}", canonical_path(above),
                     folder.substr(folder.find_last_of('/') + 1), hasher.digest());
}

}  // namespace seekless
