#include <fmt/format.h>

#include "packer/page/internal/html_parts.h"
#include "packer/page/internal/html_tables.h"
#include "packer/page/internal/releases_chart.h"
#include "packer/page/releases_page.h"

namespace seekless {
namespace {

constexpr std::string_view kClientsNote =
    "Written: by clients that make every touched file anew, as SteamPipe's does. In place: by "
    "'seekless apply'. Downloads are counted before compression.";

}  // namespace

std::string to_html(const UpdatesAnswer& updates) {
  const std::vector<Release>& releases = updates.releases;
  const std::string body =
      releases_chart(releases) +
      table_section(releases_table(releases, kMostReleases),
                    fmt::format("{} {}", kClientsNote, foreseen_sentence(releases))) +
      table_section(costly_assets_table(releases),
                    "Written: of the files that each lies in, its share among what is new there.") +
      table_section(other_prices_table(releases),
                    "The last release that was built with --explain or a report, as it would be "
                    "under other prices for making packs anew.");
  return page_html(fmt::format("Updates of {}", updates.build_file), releases_sentence(releases),
                   body);
}

}  // namespace seekless
