#include "packer/library/found_game.h"

namespace seekless {

std::string_view name_of(Launcher launcher) {
  switch (launcher) {
    case Launcher::steam:
      return "Steam";
    case Launcher::heroic:
      return "Heroic";
    case Launcher::lutris:
      return "Lutris";
    case Launcher::bottles:
      return "Bottles";
    case Launcher::gog:
      return "GOG";
    case Launcher::epic:
      return "Epic";
    case Launcher::debian:
      break;
  }
  return "Debian";
}

}  // namespace seekless
