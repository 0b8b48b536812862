#include "packer/command/internal/build_outputs.h"

#include <nlohmann/json.hpp>

#include "packer/answer/described_build.h"
#include "packer/answer/releases.h"
#include "packer/command/internal/report_packs.h"
#include "packer/host/files.h"
#include "packer/page/build_page.h"

namespace seekless {
namespace {

std::string dumped(const BuildAnswer& build) {
  return to_json(build).dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) +
         "\n";
}

Result<void> write_build_pages(const BuildFile& file, const DriveProfile& drive,
                               const BuildAnswer& build, const BuildAnswer* last) {
  if (file.reports.html.empty() && file.reports.markdown.empty()) return {};
  BuildReport report = describe_build(build, last, drive);
  if (file.packs) SKL_TRY_DO(add_packs(file.packs->folder, report.results));
  SKL_TRY(const auto layout, read_layout(file.state + "/" + kLayoutName));
  add_assets(layout, report);
  if (!file.reports.markdown.empty())
    SKL_TRY_DO(write_text(file.reports.markdown, to_markdown(report)));
  if (file.reports.html.empty()) return {};
  return write_text(file.reports.html, to_html(report));
}

}  // namespace

Result<void> add_release(const BuildFile& file, const BuildAnswer& build) {
  if (!build.patch || !build.is_changed) return {};
  constexpr uint64_t kMostBytes = uint64_t{64} << 20;
  const std::string path = file.state + "/" + kReleasesName;
  const auto before = read_text(path, kMostBytes);
  return write_text(path, with_release(before ? *before : "", *build.patch, build.bytes()));
}

std::optional<BuildAnswer> last_outcome(const BuildFile& file, double seconds) {
  constexpr uint64_t kMostBytes = uint64_t{1} << 30;
  const auto text = read_text(file.state + "/" + kOutcomeName, kMostBytes);
  auto last = text ? read_build_answer(*text) : std::nullopt;
  if (!last) return std::nullopt;
  return unchanged_since(*std::move(last), file, seconds);
}

Result<void> write_report(const BuildFile& file, const BuildAnswer& build) {
  if (file.reports.json.empty()) return {};
  return write_text(file.reports.json, dumped(build));
}

Result<void> write_outcome(const BuildFile& file, const DriveProfile& drive,
                           const BuildAnswer& build, const BuildAnswer* last) {
  auto written = write_text(file.state + "/" + kOutcomeName, dumped(build));
  if (written) written = add_release(file, build);
  if (written) written = write_report(file, build);
  if (written) written = write_build_pages(file, drive, build, last);
  return written;
}

Result<void> copy_layout(const BuildFile& file, const std::string& to) {
  constexpr uint64_t kMostBytes = uint64_t{4} << 30;
  SKL_TRY(const auto text, read_text(file.state + "/" + kLayoutName, kMostBytes));
  return write_text(to, text);
}

}  // namespace seekless
