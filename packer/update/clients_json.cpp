#include "packer/update/clients_json.h"

#include "packer/base/json_value.h"

namespace seekless {

nlohmann::ordered_json to_json(const ClientCosts& costs, const std::string& drive) {
  nlohmann::ordered_json json = {{"drive", drive}};
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

ClientCosts client_costs_of(const nlohmann::ordered_json& json) {
  ClientCosts costs;
  for (const ClientModel& model : client_models()) {
    const nlohmann::ordered_json& cost = json.at(std::string(model.name));
    costs[static_cast<size_t>(model.client)] = {
        .downloaded_bytes = whole_member<uint64_t>(cost, "downloaded_bytes"),
        .read_bytes = whole_member<uint64_t>(cost, "read_bytes"),
        .written_bytes = whole_member<uint64_t>(cost, "written_bytes"),
        .peak_room_bytes = whole_member<uint64_t>(cost, "peak_room_bytes"),
        .seconds = real_member(cost, "seconds")};
  }
  return costs;
}

}  // namespace seekless
