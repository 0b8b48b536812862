// Reads uploads from players' machines as columns, reads the catalogs that explain the uploads'
// numbers, and makes profiles.
#include <cstdint>
#include <cstring>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>
#include <xxhash.h>

#include "packer/command/open_set.h"
#include "packer/fleet/upload.h"
#include "packer/profile/profile.h"
#include "python/src/column.h"
#include "python/src/errors.h"
#include "python/src/module.h"
#include "python/src/text.h"

namespace nb = nanobind;

namespace seekless::python {
namespace {

// To compare runs of different lengths, places are scaled to this range.
constexpr uint64_t kPlaces = 4096;

// Maps a catalog's id to its number of assets and number of scenarios.
using KnownCatalogs = std::map<uint64_t, std::pair<uint32_t, uint32_t>>;

struct Set {
  std::vector<int64_t> client, run, catalog;
  std::vector<int32_t> scenario, day, opens;
  std::vector<int64_t> read_run;
  std::vector<int32_t> rank, place, asset, previous;
  std::vector<int64_t> drive_client, drive_reads, drive_seeks, drive_bytes, drive_seek_us;
  std::vector<int32_t> drive_day, drive_media;
  std::vector<std::pair<int32_t, std::string>> refused;  // index of the upload, and the reason
  int64_t cut_off = 0;
  int64_t broken_runs = 0;
};

int64_t hash_of(std::span<const std::byte> bytes, uint64_t seed) {
  return static_cast<int64_t>(XXH3_64bits_withSeed(bytes.data(), bytes.size(), seed));
}

void add_run(Set& set, const Upload& upload, const FleetRun& run, int64_t client, uint64_t salt) {
  // A run that was sent twice gets the same id, so it counts once.
  const uint32_t numbers[] = {upload.day, run.scenario};
  uint64_t seed = static_cast<uint64_t>(hash_of(std::as_bytes(std::span(numbers)), salt));
  seed ^= static_cast<uint64_t>(client) + upload.catalog.id;
  const int64_t id = hash_of(std::as_bytes(std::span(run.assets)), seed);
  set.client.push_back(client);
  set.run.push_back(id);
  set.catalog.push_back(static_cast<int64_t>(upload.catalog.id));
  set.scenario.push_back(static_cast<int32_t>(run.scenario));
  set.day.push_back(static_cast<int32_t>(upload.day));
  set.opens.push_back(static_cast<int32_t>(run.assets.size()));
  int32_t previous = -1;
  for (size_t rank = 0; rank < run.assets.size(); ++rank) {
    set.read_run.push_back(id);
    set.rank.push_back(static_cast<int32_t>(rank));
    set.place.push_back(static_cast<int32_t>(rank * kPlaces / run.assets.size()));
    set.asset.push_back(static_cast<int32_t>(run.assets[rank]));
    set.previous.push_back(std::exchange(previous, static_cast<int32_t>(run.assets[rank])));
  }
}

void add_drive(Set& set, const Upload& upload, const FleetDrive& drive, int64_t client) {
  set.drive_client.push_back(client);
  set.drive_day.push_back(static_cast<int32_t>(upload.day));
  set.drive_media.push_back(static_cast<int32_t>(drive.media));
  set.drive_seek_us.push_back(static_cast<int64_t>(drive.seek_us));
  set.drive_reads.push_back(static_cast<int64_t>(drive.reads));
  set.drive_seeks.push_back(static_cast<int64_t>(drive.seeks));
  set.drive_bytes.push_back(static_cast<int64_t>(drive.read_bytes));
}

void add_upload(Set& set, int32_t number, std::span<const std::byte> bytes, uint64_t salt,
                const KnownCatalogs& known) {
  const auto upload = read_upload(bytes, "upload");
  if (!upload) return set.refused.emplace_back(number, upload.error().message), void();
  const auto catalog = known.find(upload->catalog.id);
  if (catalog == known.end() ||
      catalog->second != std::pair(upload->catalog.asset_count, upload->catalog.scenario_count))
    return set.refused.emplace_back(number, "upload: of a build whose catalog wasn't given"),
           void();
  const int64_t client = hash_of(upload->client, salt);
  for (const FleetRun& run : upload->runs) add_run(set, *upload, run, client, salt);
  for (const FleetDrive& drive : upload->drives) add_drive(set, *upload, drive, client);
  set.cut_off += upload->is_cut_off ? 1 : 0;
  set.broken_runs += upload->broken_runs;
}

nb::dict read_uploads(const nb::list& uploads, uint64_t salt, const KnownCatalogs& known) {
  std::vector<std::span<const std::byte>> all;
  for (const nb::handle upload : uploads) {
    const auto bytes = nb::cast<nb::bytes>(upload);  // the list keeps it alive
    all.push_back(std::as_bytes(std::span(bytes.c_str(), bytes.size())));
  }
  Set set;
  {
    const nb::gil_scoped_release released;
    for (size_t i = 0; i < all.size(); ++i)
      add_upload(set, static_cast<int32_t>(i), all[i], salt, known);
  }
  nb::dict runs;
  runs["client"] = to_column(std::move(set.client));
  runs["run"] = to_column(std::move(set.run));
  runs["catalog"] = to_column(std::move(set.catalog));
  runs["scenario"] = to_column(std::move(set.scenario));
  runs["day"] = to_column(std::move(set.day));
  runs["opens"] = to_column(std::move(set.opens));
  nb::dict reads;
  reads["run"] = to_column(std::move(set.read_run));
  reads["rank"] = to_column(std::move(set.rank));
  reads["place"] = to_column(std::move(set.place));
  reads["asset"] = to_column(std::move(set.asset));
  reads["previous"] = to_column(std::move(set.previous));
  nb::dict drives;
  drives["client"] = to_column(std::move(set.drive_client));
  drives["day"] = to_column(std::move(set.drive_day));
  drives["media"] = to_column(std::move(set.drive_media));
  drives["seek_us"] = to_column(std::move(set.drive_seek_us));
  drives["reads"] = to_column(std::move(set.drive_reads));
  drives["seeks"] = to_column(std::move(set.drive_seeks));
  drives["read_bytes"] = to_column(std::move(set.drive_bytes));
  nb::dict answer;
  answer["runs"] = runs;
  answer["reads"] = reads;
  answer["drives"] = drives;
  answer["refused"] = set.refused;
  answer["cut_off"] = set.cut_off;
  answer["broken_runs"] = set.broken_runs;
  return answer;
}

struct CatalogAssets {
  FleetCatalog catalog;
  std::vector<std::string> scenarios;
  std::vector<std::string> paths;  // indexed by the asset's number
  std::vector<uint64_t> sizes_bytes;
};

Result<CatalogAssets> assets_of(const std::string& path) {
  SKL_TRY(const auto open, OpenSet::open(path));
  const runtime::Catalog* catalog = open.set().catalog();
  if (catalog == nullptr)
    return wrong_usage({.file = path, .expected = "a pack set", .found = "a single pack"});
  CatalogAssets all;
  all.catalog.id = catalog->header().checksum;
  for (const format::Scenario& scenario : catalog->scenarios())
    all.scenarios.emplace_back(catalog->name(scenario));
  // Packs kept from earlier releases contain assets that are no longer used.
  std::vector<uint32_t> first_place;
  uint32_t places = 0;
  for (const format::CatalogPack& pack : catalog->packs()) {
    first_place.push_back(places);
    places += pack.asset_count;
  }
  all.paths.resize(places);
  all.sizes_bytes.resize(places);
  const auto listed = open.for_each([&](const OpenSet::ListedAsset& asset) -> Result<void> {
    const uint32_t number = first_place[asset.pack] + asset.place.index;
    all.paths[number] = asset.path;
    all.sizes_bytes[number] = asset.place.record().size_bytes;
    return {};
  });
  if (!listed) return std::unexpected(listed.error());
  all.catalog.asset_count = static_cast<uint32_t>(all.paths.size());
  all.catalog.scenario_count = static_cast<uint32_t>(all.scenarios.size());
  return all;
}

nb::dict read_catalog(const nb::bytes& path) {
  const std::string folder = to_string(path);
  CatalogAssets all = value_or_raise([&] {
    const nb::gil_scoped_release released;
    return assets_of(folder);
  }());
  nb::list scenarios;
  for (const std::string& name : all.scenarios) scenarios.append(to_str(name));
  nb::list paths;
  for (const std::string& of : all.paths) paths.append(to_str(of));
  nb::dict answer;
  answer["id"] = all.catalog.id;
  answer["scenarios"] = scenarios;
  answer["paths"] = paths;
  answer["sizes_bytes"] = to_column(std::move(all.sizes_bytes));
  return answer;
}

// Maps each scenario to its runs; each run is a list of indexes of `paths`.
using ScenarioRuns = std::map<std::string, std::vector<std::vector<uint32_t>>>;

void save_profile(const nb::bytes& path, std::vector<std::string> paths, ScenarioRuns scenarios) {
  const std::string file = to_string(path);
  const auto written = [&]() -> Result<void> {
    const nb::gil_scoped_release released;
    Profile profile;
    profile.assets = std::move(paths);
    uint32_t recordings = 0;
    for (auto& [name, runs] : scenarios) {
      ProfiledScenario& to = profile.scenarios.emplace_back();
      to.name = name;
      for (const std::vector<uint32_t>& run : runs) {
        for (const uint32_t asset : run)
          if (asset >= profile.assets.size())
            return wrong_usage({.place = "profile",
                                .expected = "numbers of paths",
                                .found = std::to_string(asset)});
        to.runs.push_back({.trace = "fleet", .assets = run, .id = {recordings++, 0}});
      }
    }
    return write_profile(in_planning_order(std::move(profile)), file);
  }();
  value_or_raise(written);
}

nb::bytes write_upload(uint64_t catalog, const std::vector<uint32_t>& counts,
                       const nb::bytes& client, uint32_t day,
                       const std::vector<std::pair<uint32_t, std::vector<uint32_t>>>& runs,
                       const std::vector<std::vector<uint64_t>>& drives) {
  ClientToken token = {};
  if (counts.size() != 2 || client.size() != token.size())
    raise(Error{ErrorKind::usage, "expected two counts and a token of 16 bytes"});
  std::memcpy(token.data(), client.c_str(), token.size());
  UploadWriter writer({catalog, counts[0], counts[1]}, token, day);
  for (const auto& [scenario, assets] : runs) writer.add_run({scenario, assets});
  for (const std::vector<uint64_t>& of : drives) {
    if (of.size() != 5) raise(Error{ErrorKind::usage, "expected five figures of a drive"});
    writer.add_drive({static_cast<FleetMedia>(of[0]), of[1], of[2], of[3], of[4]});
  }
  return nb::bytes(writer.bytes().data(), writer.bytes().size());
}

}  // namespace

void add_fleet(nb::module_& module) {
  module.def("read_uploads", read_uploads, nb::arg("uploads"), nb::arg("salt"), nb::arg("catalogs"),
             nb::sig("def read_uploads(uploads: list[bytes], salt: int, "
                     "catalogs: dict[int, tuple[int, int]]) -> dict[str, typing.Any]"));
  module.def("read_catalog", read_catalog, nb::arg("path"),
             nb::sig("def read_catalog(path: bytes) -> dict[str, typing.Any]"));
  module.def("save_profile", save_profile, nb::arg("path"), nb::arg("paths"), nb::arg("scenarios"));
  module.def("write_upload", write_upload, nb::arg("catalog"), nb::arg("counts"), nb::arg("client"),
             nb::arg("day"), nb::arg("runs"), nb::arg("drives"));
}

}  // namespace seekless::python
