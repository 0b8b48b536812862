#include "packer/answer/patch_answer.h"

#include <fmt/format.h>

#include "packer/words/counted.h"

namespace seekless {

std::string to_text(const PatchAnswer& answer) {
  const WrittenPatch& written = answer.written;
  return fmt::format(
      "{}: {:.3f} MB, from {} to {}\n"
      "- new: {:.3f} MB before compression\n"
      "- copied: {:.1f} MB; files that stay as they are: {:.1f} MB",
      answer.patch, megabytes(written.patch_bytes), id_text(answer.old_id), id_text(answer.new_id),
      megabytes(written.new_bytes), megabytes(written.copied_bytes), megabytes(written.same_bytes));
}

nlohmann::ordered_json to_json(const PatchAnswer& answer) {
  const WrittenPatch& written = answer.written;
  return {{"command", "patch"},
          {"patch", answer.patch},
          {"old_id", id_text(answer.old_id)},
          {"new_id", id_text(answer.new_id)},
          {"bytes", written.patch_bytes},
          {"new_bytes", written.new_bytes},
          {"repeated_bytes", written.repeated_bytes},
          {"copied_bytes", written.copied_bytes},
          {"same_bytes", written.same_bytes},
          {"seconds", answer.seconds}};
}

}  // namespace seekless
