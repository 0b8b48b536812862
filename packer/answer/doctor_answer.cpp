#include "packer/answer/doctor_answer.h"

#include <array>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "packer/words/one_line.h"
#include "packer/words/plain_text.h"

namespace seekless {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array<std::string_view, 4> kOutcomes = {"works", "limited", "fails", "unknown"};

std::string_view name_of(Outcome outcome) {
  return kOutcomes[static_cast<size_t>(outcome)];
}

// Returns a text such as "play, record and warm".
std::string list_of_commands(const std::vector<std::string>& names) {
  if (names.size() < 2) return names.empty() ? "" : names.front();
  const auto front = std::vector(names.begin(), names.end() - 1);
  return fmt::format("{} and {}", fmt::join(front, ", "), names.back());
}

std::string drive_phrase(const Checkup& checkup) {
  const std::string folder = in_one_line(checkup.folder);
  if (!checkup.is_rotational)
    return fmt::format("whether {} lies on a rotating disk isn't known", folder);
  return *checkup.is_rotational
             ? fmt::format("{} lies on a rotating disk", folder)
             : fmt::format("{} doesn't lie on a rotating disk, so there is nothing to gain",
                           folder);
}

std::string line_of_finding(const Finding& finding) {
  return in_one_line(fmt::format("  {:<8} {:<17} {}{}{}", name_of(finding.outcome), finding.name,
                                 finding.found, finding.advice.empty() ? "" : ": ",
                                 finding.advice));
}

}  // namespace

std::string verdict_of(const Checkup& checkup) {
  std::vector<std::string> working;
  std::vector<std::string> failing;
  for (const std::string& command : checked_commands())
    (hindrances(checkup, command).empty() ? working : failing).push_back(command);
  std::string text;
  if (!working.empty())
    text = fmt::format("{} {} here", list_of_commands(working),
                       working.size() == 1 ? "works" : "work");
  if (!failing.empty())
    text += fmt::format("{}{} {}", working.empty() ? "" : ", ", list_of_commands(failing),
                        failing.size() == 1 ? "doesn't" : "don't");
  return fmt::format("{}; {}.", text, drive_phrase(checkup));
}

std::string to_text(const Checkup& checkup) {
  std::string text = verdict_of(checkup) + "\n";
  for (const Finding& finding : checkup.findings) text += "\n" + line_of_finding(finding);
  return text;
}

Json to_json(const Checkup& checkup) {
  Json commands = Json::object();
  for (const std::string& command : checked_commands())
    commands[command] = hindrances(checkup, command).empty();
  Json findings = Json::array();
  for (const Finding& finding : checkup.findings)
    findings.push_back({{"name", finding.name},
                        {"outcome", name_of(finding.outcome)},
                        {"found", valid_utf8(finding.found)},
                        {"advice", valid_utf8(finding.advice)},
                        {"commands", finding.commands}});
  return {{"command", "doctor"},
          {"folder", valid_utf8(checkup.folder)},
          {"rotational", checkup.is_rotational ? Json(*checkup.is_rotational) : Json()},
          {"commands", std::move(commands)},
          {"findings", std::move(findings)}};
}

}  // namespace seekless
