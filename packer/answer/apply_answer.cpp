#include "packer/answer/apply_answer.h"

#include <fmt/format.h>

#include "packer/patch/set_files.h"
#include "packer/words/counted.h"

namespace seekless {

std::string to_text(const ApplyAnswer& answer) {
  const Applied& applied = answer.applied;
  if (answer.is_rolled_back)
    return fmt::format("{}: back to {}", answer.old, id_text(applied.new_id));
  return fmt::format("{}: now {}; {} made ({:.1f} MB), {} as before; {:.1f} s", answer.output,
                     id_text(applied.new_id), counted(applied.files_made, "file"),
                     megabytes(applied.written_bytes), applied.files_kept, answer.seconds);
}

nlohmann::ordered_json to_json(const ApplyAnswer& answer) {
  return {{"command", "apply"},
          {"old", answer.old},
          {"new_id", id_text(answer.applied.new_id)},
          {"rolled_back", answer.is_rolled_back},
          {"files_made", answer.applied.files_made},
          {"files_kept", answer.applied.files_kept},
          {"written_bytes", answer.applied.written_bytes},
          {"seconds", answer.seconds}};
}

}  // namespace seekless
