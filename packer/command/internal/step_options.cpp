#include "packer/command/internal/step_options.h"

#include <fmt/format.h>

#include "packer/host/files.h"
#include "packer/project/depfile.h"

namespace seekless {

void StepOptions::add_to(const Command& command) {
  command.option(
      {.name = "--depfile",
       .takes = "FILE",
       .help = "Write a makefile rule that lists all files that were read, for Ninja, Make "
               "and CMake"},
      depfile);
  command.option({.name = "--stamp",
                  .takes = "FILE",
                  .help = "Write an empty file when everything is done. It becomes the depfile's "
                          "target, instead of the output"},
                 stamp);
}

Result<void> StepOptions::finish(const std::string& output, const std::vector<std::string>& inputs,
                                 const Output& answer) const {
  if (!depfile.empty()) {
    const Depfile made = make_depfile(stamp.empty() ? output : stamp, inputs);
    if (!made.left_out.empty())
      answer.warn(fmt::format(
          "{}: {} names can't be told to Ninja and Make, such as '{}': only their folders are "
          "watched; rename them, or run this step when such a file is edited",
          depfile, made.left_out.size(), made.left_out.front()));
    SKL_TRY_DO(write_text(depfile, made.text));
  }
  // The stamp is written last, because it says that the step is done.
  if (!stamp.empty()) return write_text(stamp, "");
  return {};
}

}  // namespace seekless
