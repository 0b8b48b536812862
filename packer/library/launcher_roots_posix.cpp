#include "packer/host/own_folder.h"
#include "packer/library/launcher_roots.h"

namespace seekless {
namespace {

std::string folder_or(const std::string& variable, const std::string& otherwise) {
  const std::string folder = folder_of_environment(variable);
  return folder.empty() ? otherwise : folder;
}

void add_steam(const std::string& home, const std::string& data, std::vector<LauncherRoot>& roots) {
  for (const std::string& folder :
       {home + "/.steam/root", home + "/.steam/steam", data + "/Steam",
        home + "/.local/share/Steam", home + "/.steam/debian-installation",
        home + "/snap/steam/common/.local/share/Steam"})
    roots.push_back({.launcher = Launcher::steam, .folder = folder});
  const std::string own_home = home + "/.var/app/com.valvesoftware.Steam";
  for (const char* folder : {"/.local/share/Steam", "/data/Steam", "/.steam/root"})
    roots.push_back({.launcher = Launcher::steam,
                     .folder = own_home + folder,
                     .flatpak_home = own_home,
                     .is_flatpak = true});
}

void add_flatpak(Launcher launcher, const std::string& home, const std::string& application,
                 const std::string& folder, const std::string& settings,
                 std::vector<LauncherRoot>& roots) {
  const std::string own = home + "/.var/app/" + application;
  roots.push_back({.launcher = launcher,
                   .folder = own + folder,
                   .settings = own + settings,
                   .flatpak_home = own,
                   .is_flatpak = true});
}

}  // namespace

std::vector<LauncherRoot> launcher_roots() {
  std::vector<LauncherRoot> roots;
  if (const std::string home = home_folder(); !home.empty()) {
    const std::string data = folder_or("XDG_DATA_HOME", home + "/.local/share");
    const std::string config = folder_or("XDG_CONFIG_HOME", home + "/.config");
    add_steam(home, data, roots);
    roots.push_back(
        {.launcher = Launcher::heroic, .folder = config + "/heroic", .settings = config});
    add_flatpak(Launcher::heroic, home, "com.heroicgameslauncher.hgl", "/config/heroic", "/config",
                roots);
    roots.push_back({.launcher = Launcher::gog, .folder = home + "/GOG Games"});
    roots.push_back({.launcher = Launcher::bottles, .folder = data + "/bottles"});
    add_flatpak(Launcher::bottles, home, "com.usebottles.bottles", "/data/bottles", "", roots);
    roots.push_back(
        {.launcher = Launcher::lutris, .folder = data + "/lutris", .settings = config + "/lutris"});
    add_flatpak(Launcher::lutris, home, "net.lutris.Lutris", "/data/lutris", "/config/lutris",
                roots);
  }
  roots.push_back({.launcher = Launcher::debian, .folder = "/"});
  return roots;
}

}  // namespace seekless
