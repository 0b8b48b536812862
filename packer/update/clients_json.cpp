#include "packer/update/clients_json.h"

namespace seekless {

nlohmann::ordered_json to_json(const ClientCosts& costs, const DriveProfile& drive) {
  nlohmann::ordered_json json = {{"drive", drive.name}};
  for (const ClientModel& model : client_models()) {
    const ClientCost& cost = costs[static_cast<size_t>(model.client)];
    json[std::string(model.name)] = {{"downloaded_bytes", cost.downloaded_bytes},
                                     {"read_bytes", cost.read_bytes},
                                     {"written_bytes", cost.written_bytes},
                                     {"peak_room_bytes", cost.peak_room_bytes},
                                     {"seconds", cost.seconds}};
  }
  return json;
}

}  // namespace seekless
