#include "packer/project/build_fingerprint.h"

#include "packer/host/files.h"
#include "packer/plan/plan_settings.h"
#include "packer/project/internal/build_inputs.h"
#include "packer/project/internal/fingerprint.h"

namespace seekless {

Result<uint64_t> fingerprint_of_build(const BuildFile& file, std::string_view version) {
  SKL_TRY(const auto program, fingerprint_of_file("/proc/self/exe"));
  Fingerprint print;
  print.add(version);
  print.add(program);
  if (!file.plan.drives.empty()) {
    const std::string drive = drive_beside(file.plan.drives.front(), file.path);
    constexpr uint64_t kLimitBytes = 64 * 1024;
    if (drive.ends_with(".json")) {
      SKL_TRY(const auto text, read_text(drive, kLimitBytes));
      print.add(std::string_view(text));
    }
  }
  return print.value();
}

}  // namespace seekless
