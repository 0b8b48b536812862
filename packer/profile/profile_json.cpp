#include <map>
#include <unordered_set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "packer/base/json_depth.h"
#include "packer/base/json_value.h"
#include "packer/host/files.h"
#include "packer/profile/profile.h"
#include "runtime/asset_path.h"

namespace seekless {
namespace {

using Json = nlohmann::ordered_json;

constexpr uint32_t kVersion = 1;
constexpr uint64_t kLimitBytes = uint64_t{4} << 30;

std::unexpected<Error> wrong(const std::string& path, const std::string& expected,
                             const std::string& found) {
  return damaged({.file = path,
                  .expected = expected,
                  .found = found,
                  .advice = "make it anew with 'seekless profile'"});
}

std::vector<uint32_t> to_assets(const Json& json) {
  if (!json.is_array()) throw Json::other_error::create(500, "'assets' isn't an array", nullptr);
  std::vector<uint32_t> assets;
  assets.reserve(json.size());
  for (const Json& asset : json) assets.push_back(whole_number<uint32_t>(asset, "assets"));
  return assets;
}

// Numbers the recordings of runs. Profiles of earlier versions identify recordings only by their
// names.
class Recordings {
 public:
  RunId next_run(const Json& run) {
    const bool is_numbered = run.contains("recording");
    const std::string key =
        is_numbered ? fmt::to_string(whole_number<uint32_t>(run.at("recording"), "recording"))
                    : "called " + run.at("trace").get<std::string>();
    RunId& next =
        next_.try_emplace(key, RunId{static_cast<uint32_t>(next_.size()), 0}).first->second;
    const RunId id = next;
    ++next.part;
    return id;
  }

 private:
  std::map<std::string, RunId> next_;
};

Result<Profile> to_profile(const Json& json, const std::string& path) {
  if (json.value("seekless", "") != "profile") return wrong(path, "a profile", "another JSON file");
  if (const auto version = json.value("version", uint64_t{0}); version != kVersion)
    return wrong(path, fmt::format("profile version {}", kVersion), fmt::to_string(version));
  Profile profile;
  profile.assets = json.at("assets").get<std::vector<std::string>>();
  std::unordered_set<std::string> names;
  Recordings recordings;
  for (const Json& scenario : json.at("scenarios")) {
    ProfiledScenario& to = profile.scenarios.emplace_back();
    to.name = scenario.at("name").get<std::string>();
    if (!is_plain_name(to.name) || !names.insert(to.name).second)
      return wrong(path, "scenarios of different names, without control characters",
                   fmt::format("'{}'", to.name));
    for (const Json& run : scenario.at("runs")) {
      to.runs.push_back({run.at("trace").get<std::string>(), to_assets(run.at("assets"))});
      if (run.contains("span_us"))
        to.runs.back().span_us = whole_number<uint64_t>(run.at("span_us"), "span_us");
      if (run.contains("waiting_us"))
        to.runs.back().waiting_us = whole_number<uint64_t>(run.at("waiting_us"), "waiting_us");
      to.runs.back().id = recordings.next_run(run);
      for (const uint32_t asset : to.runs.back().assets)
        if (asset >= profile.assets.size())
          return wrong(path, fmt::format("assets below {}", profile.assets.size()),
                       fmt::to_string(asset));
    }
  }
  return profile;
}

}  // namespace

Result<void> write_profile(const Profile& profile, const std::string& path) {
  Json json = {{"seekless", "profile"}, {"version", kVersion}, {"assets", profile.assets}};
  json["scenarios"] = Json::array();
  std::map<uint32_t, uint32_t> recordings;  // their numbers in the file
  for (const ProfiledScenario& scenario : profile.scenarios) {
    Json runs = Json::array();
    for (const ProfiledRun& run : scenario.runs) {
      const auto next = static_cast<uint32_t>(recordings.size());
      runs.push_back({{"trace", run.trace},
                      {"recording", recordings.try_emplace(run.id.trace, next).first->second},
                      {"assets", run.assets.to_vector()}});
      if (run.span_us > 0) runs.back()["span_us"] = run.span_us;
      if (run.waiting_us > 0) runs.back()["waiting_us"] = run.waiting_us;
    }
    json["scenarios"].push_back({{"name", scenario.name}, {"runs", std::move(runs)}});
  }
  return write_text(path, json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n");
}

Result<Profile> read_profile(const std::string& path) {
  SKL_TRY(const auto text, read_text(path, kLimitBytes));
  try {
    return to_profile(parse_json<Json>(text), path);
  } catch (const Json::exception& error) {
    return wrong(path, "a profile as in schemas/profile.schema.json", short_message(error));
  }
}

}  // namespace seekless
