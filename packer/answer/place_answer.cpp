#include "packer/answer/place_answer.h"

#include <fmt/format.h>

#include "packer/words/counted.h"

namespace seekless {
namespace {

using Json = nlohmann::ordered_json;

}  // namespace

std::string to_text(const PlaceAnswer& answer) {
  std::string text;
  for (const PlacedSeconds& scenario : answer.scenarios)
    text += fmt::format("{}: {:.2f} s -> {:.2f} s\n", scenario.name, scenario.before_s,
                        scenario.after_s);
  return text + fmt::format("{} of {:.1f} MB {}{}", counted(answer.moved_files, "file"),
                            megabytes(answer.moved_bytes), answer.is_dry_run ? "would be " : "",
                            answer.way);
}

Json to_json(const PlaceAnswer& answer) {
  Json scenarios = Json::array();
  for (const PlacedSeconds& scenario : answer.scenarios)
    scenarios.push_back(
        {{"name", scenario.name}, {"before_s", scenario.before_s}, {"after_s", scenario.after_s}});
  return {{"command", "place"},
          {"paths", answer.paths},
          {"way", answer.way},
          {"dry_run", answer.is_dry_run},
          {"scenarios", std::move(scenarios)},
          {"moved_files", answer.moved_files},
          {"moved_bytes", answer.moved_bytes}};
}

std::string to_text(const PlaceUndoneAnswer& answer) {
  return fmt::format("{} in the order of before: {}", counted(answer.put_back, "file"), answer.way);
}

Json to_json(const PlaceUndoneAnswer& answer) {
  return {{"command", "place"},
          {"paths", answer.paths},
          {"way", answer.way},
          {"put_back", answer.put_back}};
}

}  // namespace seekless
