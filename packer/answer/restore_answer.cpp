#include "packer/answer/restore_answer.h"

#include <fmt/format.h>

#include "packer/words/counted.h"
#include "packer/words/one_line.h"

namespace seekless {
namespace {

std::string lines_of_names(const std::vector<std::string>& names, const char* what) {
  std::string text;
  for (const std::string& name : names)
    text += fmt::format("  {:<28} {}\n", in_one_line(name), what);
  return text;
}

std::string discard_text(const RestoreAnswer& answer) {
  const KeptOriginals& discarded = answer.discarded;
  return lines_of_names(discarded.names, "dropped: the new archive is whole") +
         (discarded.names.empty() ? fmt::format("{}: no originals to drop", answer.folder)
                                  : fmt::format("{}: {:.1f} MB are free again", answer.folder,
                                                megabytes(discarded.size_bytes)));
}

std::string restore_text(const RestoreAnswer& answer) {
  const RestoreReport& report = answer.report;
  std::string text = lines_of_names(answer.overlays, "deleted: it was an overlay") +
                     lines_of_names(report.restored, "restored") +
                     lines_of_names(report.unchanged, "is still the original");
  for (const std::string& name : report.set_aside)
    text += fmt::format("  what somebody else had put there is kept as {}\n", in_one_line(name));
  for (const std::string& name : report.outdated)
    text += fmt::format("  a set stays as an update left it; the original is kept as {}\n",
                        in_one_line(name));
  for (const std::string& name : report.changed_parts)
    text +=
        fmt::format("  {:<28} stays: it was added, and somebody changed it\n", in_one_line(name));
  const size_t count = report.restored.size() + report.unchanged.size();
  return text + (count == 0 ? fmt::format("{}: {} to restore", answer.folder,
                                          answer.overlays.empty() ? "nothing" : "no archive")
                            : fmt::format("{}: {} back", answer.folder,
                                          counted(count, "original is", "originals are")));
}

}  // namespace

std::string to_text(const RestoreAnswer& answer) {
  return answer.is_discard ? discard_text(answer) : restore_text(answer);
}

nlohmann::ordered_json to_json(const RestoreAnswer& answer) {
  const RestoreReport& report = answer.report;
  return {{"command", "restore"},
          {"folder", answer.folder},
          {"restored", report.restored},
          {"unchanged", report.unchanged},
          {"set_aside", report.set_aside},
          {"outdated", report.outdated},
          {"changed_parts", report.changed_parts},
          {"lost", report.lost},
          {"overlays", answer.overlays},
          {"discarded", answer.discarded.names},
          {"discarded_bytes", answer.discarded.size_bytes}};
}

}  // namespace seekless
