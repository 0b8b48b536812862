#include "packer/project/shipped_loads_file.h"

#include <nlohmann/json.hpp>

#include "packer/base/json_depth.h"
#include "packer/drive/load_cost_json.h"
#include "packer/host/files.h"
#include "packer/project/build.h"

namespace seekless {
namespace {

using Json = nlohmann::ordered_json;

constexpr uint64_t kMostBytes = uint64_t{1} << 30;

}  // namespace

Result<void> write_shipped_loads(const ShippedLoads& shipped, const BuildFile& file) {
  Json loads = Json::array();
  for (const JudgedLoad& load : shipped.loads)
    loads.push_back({{"name", load.name},
                     {"runs", load.runs},
                     {"as_shipped_s", load.as_shipped_s},
                     {"bound_s", load.bound_s},
                     {"besides_s", load.besides_s ? Json(*load.besides_s) : Json()},
                     {"is_slowed", load.is_slowed},
                     {"cost", to_json(shipped.costs.at(load.name))}});
  const RecordedFit& fit = shipped.fit;
  const Json json = {{"lacking", static_cast<unsigned>(shipped.lacking)},
                     {"fit",
                      {{"read_bytes", fit.read_bytes},
                       {"misfit_bytes", fit.misfit_bytes},
                       {"file", fit.file},
                       {"misfit", static_cast<unsigned>(fit.misfit)}}},
                     {"loads", std::move(loads)}};
  return write_text(file.state + "/" + kLoadsName,
                    json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n");
}

ShippedLoads read_shipped_loads(const BuildFile& file) {
  const auto text = read_text(file.state + "/" + kLoadsName, kMostBytes);
  if (!text) return {};
  try {
    const auto json = parse_json<Json>(*text);
    ShippedLoads shipped;
    shipped.lacking = static_cast<Lacking>(json.at("lacking").get<uint8_t>());
    const Json& fit = json.at("fit");
    shipped.fit = {.read_bytes = fit.at("read_bytes").get<uint64_t>(),
                   .misfit_bytes = fit.at("misfit_bytes").get<uint64_t>(),
                   .file = fit.at("file").get<std::string>(),
                   .misfit = static_cast<Misfit>(fit.at("misfit").get<uint8_t>())};
    for (const Json& from : json.at("loads")) {
      JudgedLoad& load = shipped.loads.emplace_back();
      load.name = from.at("name").get<std::string>();
      load.runs = from.at("runs").get<uint32_t>();
      load.as_shipped_s = from.at("as_shipped_s").get<double>();
      load.bound_s = from.at("bound_s").get<double>();
      if (!from.at("besides_s").is_null()) load.besides_s = from.at("besides_s").get<double>();
      load.is_slowed = from.at("is_slowed").get<bool>();
      const Json& cost = from.at("cost");
      shipped.costs[load.name] = {.bytes = cost.at("bytes").get<uint64_t>(),
                                  .reads = cost.at("reads").get<uint64_t>(),
                                  .seeks = cost.at("seeks").get<uint64_t>(),
                                  .seconds = cost.at("seconds").get<double>()};
    }
    return shipped;
  } catch (const Json::exception&) {
    return {};
  }
}

}  // namespace seekless
