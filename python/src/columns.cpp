// Reads profiles and layouts as columns.
#include <cstdint>
#include <string>
#include <vector>

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "packer/layout/layout.h"
#include "packer/profile/profile.h"
#include "python/src/column.h"
#include "python/src/errors.h"
#include "python/src/module.h"
#include "python/src/text.h"

namespace nb = nanobind;

namespace seekless::python {
namespace {

template <typename Work>
auto without_lock(Work work) {
  const nb::gil_scoped_release released;
  return work();
}

// Makes one row per run and asset, in the order of the reads.
nb::dict profile_columns(const nb::bytes& path) {
  const std::string file = to_string(path);
  const Profile profile = value_or_raise(without_lock([&] { return read_profile(file); }));
  std::vector<int32_t> scenario;
  std::vector<uint32_t> run;
  std::vector<uint32_t> recording;
  std::vector<uint32_t> rank;
  std::vector<int32_t> asset;
  nb::list names;
  for (const ProfiledScenario& of : profile.scenarios) {
    const auto number = static_cast<int32_t>(names.size());
    names.append(to_str(of.name));
    for (uint32_t i = 0; i < of.runs.size(); ++i) {
      uint32_t at = 0;
      for (const uint32_t of_run : of.runs[i].assets) {
        scenario.push_back(number);
        run.push_back(i);
        recording.push_back(of.runs[i].id.trace);
        rank.push_back(at++);
        asset.push_back(static_cast<int32_t>(of_run));
      }
    }
  }
  nb::dict all;
  all["scenarios"] = names;
  nb::list paths;
  for (const std::string& name : profile.assets) paths.append(to_str(name));
  all["paths"] = paths;
  all["scenario"] = to_column(std::move(scenario));
  all["run"] = to_column(std::move(run));
  all["recording"] = to_column(std::move(recording));
  all["rank"] = to_column(std::move(rank));
  all["path"] = to_column(std::move(asset));
  return all;
}

// Makes a row for each asset of each pack, in the packs' order, including copies.
nb::dict layout_columns(const nb::bytes& path) {
  const std::string file = to_string(path);
  const Layout layout = value_or_raise(without_lock([&] { return read_layout(file); }));
  std::vector<int32_t> pack;
  std::vector<uint32_t> rank;
  std::vector<uint64_t> size_bytes;
  std::vector<uint32_t> readers;
  nb::list paths;
  nb::list packs;
  nb::list kinds;
  for (const LaidPack& of : layout.packs) {
    const auto number = static_cast<int32_t>(packs.size());
    packs.append(to_str(of.name));
    kinds.append(to_str(seekless::to_string(of.kind)));
    for (uint32_t at = 0; at < of.assets.size(); ++at) {
      const LaidAsset& asset = of.assets[at];
      pack.push_back(number);
      rank.push_back(at);
      size_bytes.push_back(asset.size_bytes);
      readers.push_back(static_cast<uint32_t>(layout.scenario_sets[asset.scenario_set].size()));
      paths.append(to_str(asset.path));
    }
  }
  nb::dict all;
  all["packs"] = packs;
  all["kinds"] = kinds;
  all["path"] = paths;
  all["pack"] = to_column(std::move(pack));
  all["rank"] = to_column(std::move(rank));
  all["size_bytes"] = to_column(std::move(size_bytes));
  all["scenarios"] = to_column(std::move(readers));
  return all;
}

}  // namespace

void add_columns(nb::module_& module) {
  module.def("profile_columns", profile_columns, nb::arg("path"),
             nb::sig("def profile_columns(path: bytes) -> dict[str, typing.Any]"));
  module.def("layout_columns", layout_columns, nb::arg("path"),
             nb::sig("def layout_columns(path: bytes) -> dict[str, typing.Any]"));
}

}  // namespace seekless::python
