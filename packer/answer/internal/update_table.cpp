#include "packer/answer/internal/update_table.h"

#include <fmt/format.h>

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

std::string update_table(const ClientCosts& clients, const std::string& drive, size_t columns) {
  TextTable table = {
      {"update, in MB", "downloads", "reads", "writes", "room", fmt::format("{} s", drive)}, {}};
  for (const ClientModel& model : client_models()) {
    const ClientCost& cost = clients[static_cast<size_t>(model.client)];
    table.rows.push_back({short_name(model.client), megabyte_cell(cost.downloaded_bytes),
                          megabyte_cell(cost.read_bytes), megabyte_cell(cost.written_bytes),
                          megabyte_cell(cost.peak_room_bytes), number_cell(cost.seconds, 1)});
  }
  return table.to_text(columns);
}

}  // namespace seekless
