#include "packer/answer/init_answer.h"

#include <fmt/format.h>

#include "packer/words/counted.h"

namespace seekless {

std::string to_text(const InitAnswer& answer) {
  const StarterFile& starter = answer.starter;
  std::string text =
      fmt::format("{}: content in '{}': {}, {:.1f} MB\n", answer.build_file, starter.content,
                  counted(starter.files, "file"), megabytes(starter.bytes));
  text +=
      starter.recordings == 0
          ? "no recordings found; 'seekless record' makes them, then name them under "
            "\"traces\"\n"
          : fmt::format("recordings: {}, such as {}\n", starter.recordings, starter.traces.front());
  if (!starter.map.empty())
    text += fmt::format("the recordings call the content by another place; \"map\" says so: {}\n",
                        starter.map);
  return text + "look through it, then build";
}

nlohmann::ordered_json to_json(const InitAnswer& answer) {
  const StarterFile& starter = answer.starter;
  return {{"command", "init"},
          {"build_file", answer.build_file},
          {"content", starter.content},
          {"files", starter.files},
          {"bytes", starter.bytes},
          {"traces", starter.traces},
          {"recordings", starter.recordings},
          {"map",
           starter.map.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(starter.map)}};
}

}  // namespace seekless
