#include "packer/base/json_depth.h"

namespace seekless {

template nlohmann::ordered_json parse_json(std::string_view text);
template nlohmann::ordered_json parse_json_if_any(std::string_view text);

}  // namespace seekless
