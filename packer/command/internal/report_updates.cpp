#include "packer/command/internal/report_updates.h"

#include <nlohmann/json.hpp>

#include "packer/host/files.h"
#include "packer/host/terminal.h"
#include "packer/page/releases_page.h"
#include "packer/project/build_file.h"

namespace seekless {

Result<void> report_updates(const std::string& build_file, const std::string& html,
                            const Output& answer) {
  const auto file = read_build_file(build_file);
  if (!file) return std::unexpected(file.error());
  constexpr uint64_t kMostBytes = uint64_t{64} << 20;
  const std::string path = file->state + "/" + kReleasesName;
  if (kind_of_path(path) == PathKind::missing)
    return failed({.file = path,
                   .expected = "a record of releases",
                   .found = "none",
                   .advice = "name a lock in the build file; each build after the first adds one"});
  SKL_TRY(const auto text, read_text(path, kMostBytes));
  auto releases = read_releases(text);
  if (!releases || releases->empty())
    return damaged({.file = path,
                    .expected = "a record of releases",
                    .found = "something else",
                    .advice = "remove it; later builds begin another"});
  const UpdatesAnswer updates = {.build_file = file->path, .releases = *std::move(releases)};
  answer.line(to_text(updates, table_columns(terminal_width()), answer.is_verbose()));
  if (!html.empty()) SKL_TRY_DO(write_text(html, to_html(updates)));
  return answer.result(to_json(updates));
}

Result<void> check_given(const std::string& set, const TraceOptions& traces,
                         const ContentOptions& content) {
  const char* missing = set.empty()             ? "PACKSET"
                        : traces.paths.empty()  ? "TRACE"
                        : content.roots.empty() ? "--content"
                                                : nullptr;
  if (missing == nullptr) return {};
  return wrong_usage({.place = missing,
                      .expected = "PACKSET, TRACE and --content, or --updates",
                      .found = "none",
                      .advice = "see 'seekless report --help'"});
}

}  // namespace seekless
