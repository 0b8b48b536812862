#include "packer/command/drive_option.h"

#include "packer/host/files.h"

namespace seekless {

void add_drive_option(CLI::App& command, std::string& drive) {
  command
      .add_option("--drive", drive, "A built-in profile, or a file as in schemas/drive.schema.json")
      ->type_name("NAME|FILE.json")
      ->capture_default_str();
}

Result<DriveProfile> get_drive(const std::string& name) {
  if (!name.ends_with(".json")) return find_profile(name);
  constexpr uint64_t kLimitBytes = 64 * 1024;
  const auto text = read_text(name, kLimitBytes);
  if (!text) return std::unexpected(text.error());
  return parse_profile(*text, name);
}

}  // namespace seekless
