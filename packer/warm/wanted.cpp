#include "packer/warm/wanted.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "packer/base/utf8_stream.h"
#include "packer/content/flat_archive.h"
#include "packer/content/zip_directory.h"
#include "packer/host/files.h"
#include "packer/host/runtime_error.h"
#include "packer/pack/whole_set.h"
#include "runtime/pack_set.h"

namespace seekless {
namespace {

// An entry's local header may be longer than the directory says. Up to this many bytes more are
// read; allowing for more doesn't pay.
constexpr uint64_t kExtraFieldBytes = 64;

// Returns, for each of the layout's scenario sets, whether it contains the scenario. An empty name
// stands for all scenarios.
std::vector<bool> sets_with(const Layout& layout, const std::string& scenario, bool& found) {
  std::vector<bool> counts(layout.scenario_sets.size());
  for (size_t i = 0; i < counts.size(); ++i)
    for (const uint32_t member : layout.scenario_sets[i])
      if (scenario.empty() || layout.scenarios[member].name == scenario) counts[i] = true;
  found = scenario.empty() || std::ranges::any_of(layout.scenarios, [&](const LaidScenario& of) {
            return of.name == scenario;
          });
  return counts;
}

Result<void> check_entry(const Source& source, uint32_t number, size_t count) {
  if (number < count) return {};
  return damaged({.file = source.path,
                  .expected = fmt::format("an entry of number {}", number),
                  .found = fmt::format("{} entries", count),
                  .advice = "it has changed since the layout was made: plan again"});
}

Result<void> add_flat_archive(const Source& source, const ByteSource& bytes,
                              const std::vector<uint32_t>& entries, Wanted& wanted) {
  SKL_TRY(const auto found, read_flat_directory(bytes));
  const FlatDirectory directory = found.value_or(FlatDirectory());
  const uint64_t end_bytes =
      directory.is_in_front() ? directory.data_begin_bytes : source.size_bytes;
  wanted.add(source.path, directory.offset_bytes, end_bytes - directory.offset_bytes);
  for (const uint32_t number : entries) {
    SKL_TRY_DO(check_entry(source, number, directory.entries.size()));
    const FlatEntry& entry = directory.entries[number];
    wanted.add(source.path, entry.offset_bytes, entry.size_bytes);
  }
  return {};
}

Result<void> add_archive(const Source& source, const std::vector<uint32_t>& entries,
                         Wanted& wanted) {
  const auto bytes = open_source(source.path);
  if (!bytes) return std::unexpected(bytes.error());
  if ((*bytes)->size_bytes() != source.size_bytes)
    return damaged(
        {.file = source.path,
         .expected = fmt::format("the {} bytes it had when the layout was made", source.size_bytes),
         .found = fmt::format("{} bytes", (*bytes)->size_bytes()),
         .advice = "plan again"});
  if (source.kind == SourceKind::flat) return add_flat_archive(source, **bytes, entries, wanted);
  SKL_TRY(const auto directory, read_zip_directory(**bytes));
  wanted.add(source.path, directory.offset_bytes(),
             source.size_bytes - std::min(source.size_bytes, directory.offset_bytes()));
  for (const uint32_t number : entries) {
    SKL_TRY_DO(check_entry(source, number, directory.entry_count()));
    const ZipEntry entry = directory.entry(number);
    const uint64_t bytes_at_most = entry.limit_bytes - entry.header_offset_bytes;
    wanted.add(
        source.path, entry.header_offset_bytes,
        std::min(bytes_at_most, entry.header_bytes() + entry.stored_bytes + kExtraFieldBytes));
  }
  return {};
}

uint64_t end_of_tables(const runtime::Pack& pack) {
  return pack.blocks().empty() ? pack.header().file_bytes : pack.blocks().front().offset_bytes;
}

Result<void> add_range(const runtime::PackSet& set, const format::Range& range, Wanted& wanted) {
  const auto pack = set.pack(range.pack);
  if (!pack) return from_runtime(pack.error());
  const std::string& file = (*pack)->file().name();
  wanted.add(file, 0, end_of_tables(**pack));
  const auto blocks = (*pack)->blocks();
  const size_t end = std::min<size_t>(blocks.size(), size_t{range.first_block} + range.block_count);
  if (range.first_block >= end) return {};
  const format::Block& last = blocks[end - 1];
  const uint64_t begin_bytes = blocks[range.first_block].offset_bytes;
  wanted.add(
      file, begin_bytes,
      last.offset_bytes + format::round_up(last.stored_bytes, format::kPageBytes) - begin_bytes);
  return {};
}

}  // namespace

Result<WantedSource> kind_of_source(const std::string& path) {
  if (path == "-") return WantedSource::trace;
  if (path.ends_with(".skl") || kind_of_path(path) == PathKind::folder)
    return WantedSource::pack_set;
  if (kind_of_path(path) == PathKind::other) return WantedSource::trace;
  SKL_TRY(const auto stream, open_stream(path));
  std::array<char, 64> front = {};
  Utf8Stream plain(*stream);
  SKL_TRY(const auto got, plain.read(std::as_writable_bytes(std::span(front))));
  const std::string_view text(front.data(), got);
  const bool is_layout = text.find("\"seekless\"") != std::string_view::npos &&
                         text.find("\"layout\"") != std::string_view::npos;
  return is_layout ? WantedSource::layout : WantedSource::trace;
}

WantedOfTrace::WantedOfTrace(Wanted& wanted, std::string scenario, std::string default_scenario,
                             IsWanted is_wanted_file)
    : wanted_(wanted),
      wanted_scenario_(std::move(scenario)),
      is_wanted_file_(std::move(is_wanted_file)) {
  cutter_.start_trace(0, std::move(default_scenario));
}

void WantedOfTrace::enter() {
  is_in_scenario_ = wanted_scenario_.empty() || cutter_.scenario() == wanted_scenario_;
  found_ = found_ || is_in_scenario_;
}

Result<void> WantedOfTrace::begin(const TraceHeader& header) {
  cutter_.begin(header);
  enter();
  return {};
}

Result<void> WantedOfTrace::add_path(std::string_view path) {
  paths_.push_back({std::string(path), !is_wanted_file_ || is_wanted_file_(path)});
  return {};
}

Result<void> WantedOfTrace::add_event(const Event& event) {
  if (!is_in_scenario_ || event.kind == EventKind::open) return {};
  const TracedPath& of = paths_[event.path];
  if (of.is_wanted)
    wanted_.add(of.path, event.offset_bytes, event.length_bytes);
  else
    left_out_.insert(of.path);
  return {};
}

Result<void> WantedOfTrace::add_mark(const Mark& mark) {
  cutter_.cut(mark);
  enter();
  return {};
}

Result<bool> add_wanted_of_layout(const Layout& layout, const std::string& scenario,
                                  Wanted& wanted) {
  bool found = false;
  const std::vector<bool> counts = sets_with(layout, scenario, found);
  std::vector<std::vector<uint32_t>> entries(layout.sources.size());
  for (const LaidPack& pack : layout.packs)
    for (const LaidAsset& asset : pack.assets) {
      if (!counts[asset.scenario_set]) continue;
      if (asset.entry == kWholeSource)
        wanted.add(layout.sources[asset.source].path, 0, asset.size_bytes);
      else
        entries[asset.source].push_back(asset.entry);
    }
  for (size_t i = 0; i < entries.size(); ++i) {
    if (entries[i].empty()) continue;
    SKL_TRY_DO(add_archive(layout.sources[i], entries[i], wanted));
  }
  return found;
}

Result<bool> add_wanted_of_pack_set(const std::string& path, const std::string& scenario,
                                    Wanted& wanted) {
  const auto io = runtime::make_system_file_io();
  const auto set = open_whole_set(*io, path);
  if (!set) return std::unexpected(set.error());
  const runtime::Catalog* catalog = (*set)->catalog();
  if (catalog == nullptr)
    return failed({.file = path,
                   .expected = "a pack set, whose catalog knows what scenarios need",
                   .found = "a single pack",
                   .advice = "name the folder that it lies in"});
  bool found = scenario.empty();
  for (const format::Scenario& of : catalog->scenarios()) {
    if (!scenario.empty() && catalog->name(of) != scenario) continue;
    found = true;
    for (const format::Range& range : catalog->ranges(of))
      SKL_TRY_DO(add_range(**set, range, wanted));
  }
  const std::string catalog_path =
      io->is_folder(path) ? path + (path.ends_with('/') ? "" : "/") + runtime::kCatalogName : path;
  wanted.add(catalog_path, 0, catalog->header().file_bytes);
  return found;
}

}  // namespace seekless
