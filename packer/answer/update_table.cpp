#include "packer/answer/update_table.h"

#include <fmt/format.h>

#include "packer/update/clients.h"
#include "packer/words/counted.h"
#include "packer/words/figures.h"
#include "packer/words/text_table.h"

namespace seekless {
namespace {

std::string short_name(Client client) {
  switch (client) {
    case Client::grid:
      return "1 MiB grid, files anew (SteamPipe)";
    case Client::chunks:
      return "content-defined, files anew (Epic)";
    case Client::apply:
      return "seekless apply, in place";
    case Client::blocks:
      return "blocks, files anew (rsync)";
  }
  return {};
}

}  // namespace

std::string update_table(const nlohmann::ordered_json& clients, size_t columns) {
  TextTable table = {{"update, in MB", "downloads", "reads", "writes", "room",
                      fmt::format("{} s", clients.at("drive").get<std::string>())},
                     {}};
  for (const ClientModel& model : client_models()) {
    const auto& cost = clients.at(std::string(model.name));
    table.rows.push_back({short_name(model.client), megabyte_cell(cost.at("downloaded_bytes")),
                          megabyte_cell(cost.at("read_bytes")),
                          megabyte_cell(cost.at("written_bytes")),
                          megabyte_cell(cost.at("peak_room_bytes")),
                          number_cell(cost.at("seconds").get<double>(), 1)});
  }
  return table.to_text(columns);
}

}  // namespace seekless
