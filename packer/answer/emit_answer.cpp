#include "packer/answer/emit_answer.h"

#include <fmt/format.h>

#include "packer/words/counted.h"
#include "packer/words/one_line.h"

namespace seekless {

std::string to_text(const EmitAnswer& answer) {
  return fmt::format("{}: {} in load order, {} more in {}\ntaken by: {}", answer.output,
                     counted(answer.order.read.size(), "file"), answer.order.unread.size(),
                     answer.folder, answer.format.taken_by);
}

std::vector<std::string> warnings_of(const EmitAnswer& answer) {
  const FileOrder& order = answer.order;
  std::vector<std::string> warnings;
  for (const Unsayable& of : answer.emission.unsayable)
    warnings.push_back(fmt::format("{} left out, as no list for {} can hold {}, such as '{}'",
                                   counted(of.files, "file is", "files are"), answer.format.name,
                                   of.reason, in_one_line(of.example)));
  if (order.archives > 0)
    warnings.push_back(
        fmt::format("{} read in part and placed whole; `seekless repack` puts what is in them in "
                    "order",
                    counted(order.archives, "archive is", "archives are")));
  if (order.copies > 0)
    warnings.push_back(fmt::format("{} of the layout left out: each file lies in one place here",
                                   counted(order.copies, "copy", "copies")));
  if (order.elsewhere.count > 0)
    warnings.push_back(fmt::format("{} read, but {} no files in {}, such as {}",
                                   counted(order.elsewhere.count, "path is", "paths are"),
                                   order.elsewhere.count == 1 ? "is" : "are", answer.folder,
                                   in_one_line(order.elsewhere.first)));
  if (!answer.emission.list.note.empty()) warnings.push_back(answer.emission.list.note);
  return warnings;
}

nlohmann::ordered_json to_json(const EmitAnswer& answer) {
  nlohmann::ordered_json unsayable = nlohmann::ordered_json::array();
  for (const Unsayable& of : answer.emission.unsayable)
    unsayable.push_back({{"reason", of.reason}, {"files", of.files}, {"example", of.example}});
  const FileOrder& order = answer.order;
  return {{"command", "emit"},
          {"format", answer.format.name},
          {"output", answer.output},
          {"folder", answer.folder},
          {"read_files", order.read.size()},
          {"unread_files", order.unread.size()},
          {"archives", order.archives},
          {"copies", order.copies},
          {"elsewhere", order.elsewhere.count},
          {"unsayable", std::move(unsayable)},
          {"taken_by", answer.format.taken_by},
          {"note", answer.emission.list.note}};
}

}  // namespace seekless
