#include "packer/command/internal/repack_worth.h"

#include "packer/answer/repack_worth.h"

namespace seekless {
Result<void> check_worth(const RepackArguments& arguments,
                         const std::optional<RepackForecast>& forecast) {
  if (!forecast || arguments.force) return {};
  auto checked = check_gain(*forecast, arguments.roots.front());
  if (checked || !arguments.dry_run) return checked;
  arguments.answer.warn("without --dry-run this is refused: " + checked.error().message);
  return {};
}

}  // namespace seekless
