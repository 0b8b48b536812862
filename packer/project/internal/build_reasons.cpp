#include "packer/project/internal/build_reasons.h"

#include <cstdint>
#include <iterator>
#include <map>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "packer/host/files.h"
#include "packer/project/internal/zip_output.h"
#include "runtime/catalog.h"

namespace seekless {
namespace {

using Reasons = std::vector<std::string>;

void add_wishes(const BuildOptions& options, Reasons& reasons) {
  if (options.reads_all) reasons.emplace_back("all content is to be read again");
  if (options.makes_new_layout || options.patch_price)
    reasons.emplace_back("a new layout is asked for");
}

void add_settings(const BuildFile& file, const BuildInputs& inputs, const BuildState& state,
                  Reasons& reasons) {
  if (state.settings != inputs.settings)
    reasons.push_back(fmt::format("{} or the program has changed since the last build", file.path));
  if (state.lock != inputs.lock_print)
    reasons.push_back(file.lock + ": not as the last build left it");
}

void add_traces(const std::vector<KnownTrace>& before, const std::vector<TraceFile>& now,
                Reasons& reasons) {
  std::map<std::string_view, const KnownTrace*> known;
  for (const KnownTrace& trace : before) known[trace.path] = &trace;
  for (const TraceFile& trace : now) {
    const auto was = known.find(trace.path);
    if (was == known.end()) {
      reasons.push_back(fmt::format("trace {}: new", trace.path));
      continue;
    }
    if (was->second->stamp != trace.stamp || !was->second->is_settled)
      reasons.push_back(fmt::format("trace {}: {}", trace.path,
                                    describe_change(was->second->stamp, trace.stamp)));
    known.erase(was);
  }
  for (const auto& [path, trace] : known) reasons.push_back(fmt::format("trace {}: gone", path));
}

void add_zips(const BuildFile& file, const BuildState& state, Reasons& reasons) {
  if (!file.zips) return;
  if (state.zips_key == 0) reasons.emplace_back("zips: not made yet");
  const auto zips = stamp_zips(file);
  if (!zips || *zips != state.zips) reasons.emplace_back("zips: not as the last build left them");
}

void add_state_files(const BuildFile& file, Reasons& reasons) {
  for (const char* name : {kLayoutName, kOutcomeName}) {
    const std::string path = file.state + "/" + name;
    if (kind_of_path(path) != PathKind::file) reasons.push_back(path + ": gone");
  }
}

void add_packs(const BuildFile& file, const BuildState& state, Reasons& reasons) {
  if (!file.packs) return;
  const auto add = [&](const std::string& name, const std::optional<ChangeStamp>& known) {
    if (const std::string fault = fault_of_output(file.packs->folder + "/" + name, known);
        !fault.empty())
      reasons.push_back(fmt::format("output {}: {}", name, fault));
  };
  for (const KnownPack& pack : state.packs) add(pack.name, pack.stamp);
  add(runtime::kCatalogName, state.catalog);
}

void add_content(Reasons changes, Reasons& reasons) {
  if (changes.size() > kMostNamedFiles) changes.back() = "further files have changed";
  reasons.insert(reasons.end(), std::make_move_iterator(changes.begin()),
                 std::make_move_iterator(changes.end()));
}

}  // namespace

std::vector<std::string> reasons_to_build(const BuildFile& file, const BuildOptions& options,
                                          const BuildInputs& inputs, const BuildState* state,
                                          std::vector<std::string> changes) {
  if (state == nullptr) return {"nothing is known of an earlier build"};
  Reasons reasons;
  add_wishes(options, reasons);
  add_settings(file, inputs, *state, reasons);
  add_traces(state->traces, inputs.traces, reasons);
  add_zips(file, *state, reasons);
  add_state_files(file, reasons);
  add_packs(file, *state, reasons);
  add_content(std::move(changes), reasons);
  return reasons;
}

std::string fault_of_output(const std::string& path, const std::optional<ChangeStamp>& known) {
  const auto stamp = change_stamp_of(path);
  if (!stamp || !*stamp) return "gone";
  if (!known) return "the last build was interrupted before its output was in place";
  return **stamp == *known ? "" : describe_change(*known, **stamp);
}

void compare_assets(const Content& content, const AssetHashes& hashes, KnownAssets known,
                    BuildOutcome& outcome) {
  for (uint32_t i = 0; i < known.before.size(); ++i) {
    const PooledPath& path = content.assets[i].path;
    if (known.before[i] == AssetBefore::missing)
      outcome.added.emplace_back(path);
    else if (known.before[i] == AssetBefore::resized || known.hashes[i] != hashes.hashes[i])
      outcome.changed.emplace_back(path);
  }
  outcome.removed = std::move(known.removed);
}

}  // namespace seekless
