#include "packer/project/internal/pack_output.h"

#include <algorithm>
#include <cstddef>
#include <span>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "packer/host/files.h"
#include "packer/pack/catalog_writer.h"
#include "packer/pack/pack_plan.h"
#include "packer/pack/verify.h"
#include "packer/project/internal/build_inputs.h"
#include "packer/project/internal/build_reasons.h"
#include "packer/project/internal/pack_key.h"
#include "runtime/catalog.h"
#include "runtime/file_io.h"
#include "runtime/tables.h"

namespace seekless {
namespace {

// Returns a text such as "12 assets changed, such as 'a/b'".
std::string count_of(size_t count, std::string_view what, std::string_view example) {
  return fmt::format("{} asset{} {}, such as '{}'", count, count == 1 ? "" : "s", what, example);
}

}  // namespace

Result<PackOutput> PackOutput::decide(const PackOutputInput& input, NextState& next,
                                      BuildOutcome& outcome) {
  PackOutput output(input, next, outcome);
  SKL_TRY(const auto seed, choose_hash_seed(input.layout));
  output.hash_seed_ = seed;
  for (const LaidPack& pack : input.layout.packs) output.add_outcome(pack);
  if (outcome.patch)
    for (size_t i = 0; i < outcome.packs.size() && i < outcome.patch->packs.size(); ++i)
      outcome.packs[i].patch = outcome.patch->packs[i].patch;
  output.note_removed_packs();
  return output;
}

void PackOutput::add_outcome(const LaidPack& pack) {
  PackOutcome& of = outcome_->packs.emplace_back();
  of.kind = pack.kind;
  of.written.file_name = pack.name + ".skl";
  of.reasons = reasons_to_write(pack, of.written.file_name);
  of.is_written = !of.reasons.empty();
}

void PackOutput::note_removed_packs() {
  if (input_.state == nullptr) return;
  for (const KnownPack& pack : input_.state->packs)
    if (std::ranges::none_of(outcome_->packs, [&](const PackOutcome& of) {
          return of.written.file_name == pack.name;
        }))
      outcome_->removed_packs.push_back(pack.name);
}

// ---- the pack as the last build left it ----

uint32_t PackOutput::index_of(std::string_view path) const {
  const std::vector<KnownAsset>& assets = next_->state.assets;
  const auto at = std::ranges::lower_bound(assets, path, {}, &KnownAsset::path);
  return static_cast<uint32_t>(at - assets.begin());
}

// Returns none if a part of the content isn't known yet.
std::optional<uint64_t> PackOutput::key_of(const LaidPack& pack) const {
  bool is_known = true;
  const uint64_t key = pack_key(input_.layout, pack, input_.file.packs->codec, hash_seed_,
                                [&](const LaidAsset& asset) -> const format::ContentHash& {
                                  const uint32_t index = index_of(asset.path);
                                  is_known =
                                      is_known && next_->origins[index] != HashOrigin::provisional;
                                  return next_->state.assets[index].hash;
                                });
  return is_known ? std::optional(key) : std::nullopt;
}

const KnownPack* PackOutput::known_pack(const std::string& name) const {
  if (input_.state == nullptr) return nullptr;
  const auto at = std::ranges::find(input_.state->packs, name, &KnownPack::name);
  return at == input_.state->packs.end() ? nullptr : &*at;
}

std::string PackOutput::path_of(const std::string& name) const {
  return input_.file.packs->folder + "/" + name;
}

std::optional<ChangeStamp> PackOutput::stamp_in_place(const std::string& name) const {
  return change_stamp_of(path_of(name)).value_or(std::nullopt);
}

// ---- reasons to write a pack ----

std::vector<std::string> PackOutput::reasons_to_write(const LaidPack& pack,
                                                      const std::string& name) const {
  if (pack.pack_id) return reasons_to_replace(*pack.pack_id, name);
  const KnownPack* known = known_pack(name);
  if (known == nullptr) return {input_.state != nullptr ? "new" : "nothing is known of it"};
  const auto key = key_of(pack);
  if (!key || *key != known->key) return reasons_of_content(pack);
  std::string fault = fault_of_output(path_of(name), known->stamp);
  if (fault.empty() || is_whole(name, known->pack_id)) return {};
  return {std::move(fault)};
}

// Returns the reasons to replace a pack that an earlier build wrote and that should stay. Its bytes
// can't be made from today's content, so if the file is missing, another pack replaces it.
std::vector<std::string> PackOutput::reasons_to_replace(uint64_t pack_id,
                                                        const std::string& name) const {
  const KnownPack* known = known_pack(name);
  const bool is_known = known != nullptr && known->pack_id == pack_id &&
                        fault_of_output(path_of(name), known->stamp).empty();
  const auto io = runtime::make_system_file_io();
  const auto opened = io->open(path_of(name));
  const auto header = opened ? runtime::read_header(**opened) : std::unexpected(opened.error());
  const bool is_it = header && header->checksum == pack_id && header->hash_seed == hash_seed_;
  if (is_it && (is_known || is_whole(name, pack_id))) return {};
  outcome_->warnings.push_back(fmt::format(
      "{}: expected the pack {:016x} of the build before, found {}; it is written anew without "
      "what is dead in it, and players fetch it whole. Put the last release's packs there before "
      "you build, to keep the update small",
      path_of(name), pack_id,
      !header ? "none"
      : is_it ? "a damaged one"
              : fmt::format("{:016x}", header->checksum)));
  return {"the one of the build before isn't there"};
}

std::vector<std::string> PackOutput::reasons_of_content(const LaidPack& pack) const {
  std::vector<std::string> reasons;
  const auto add = [&](const std::vector<std::string>& paths, std::string_view what) {
    const LaidAsset* example = nullptr;
    size_t count = 0;
    for (const LaidAsset& asset : pack.assets) {
      if (!std::ranges::binary_search(paths, asset.path)) continue;
      if (example == nullptr) example = &asset;
      ++count;
    }
    if (count > 0) reasons.push_back(count_of(count, what, example->path));
  };
  add(outcome_->changed, "changed");
  add(outcome_->added, "new");
  if (reasons.empty()) reasons.emplace_back("its layout, or how it is stored, changed");
  return reasons;
}

// Reads the whole file, and returns true if it is the pack with this id. It may have been restored
// from a copy, or the last build may have ended before noting that the pack is in place.
bool PackOutput::is_whole(const std::string& name, uint64_t pack_id) const {
  const auto io = runtime::make_system_file_io();
  const auto opened = io->open(path_of(name));
  const auto header = opened ? runtime::read_header(**opened) : std::unexpected(opened.error());
  if (!header || header->checksum != pack_id) return false;
  const auto report = verify(path_of(name), {.threads = input_.options.threads});
  return report && report->damages.empty();
}

// ---- check or write ----

Result<void> PackOutput::check() {
  outcome_->is_changed = outcome_->is_changed ||
                         std::ranges::any_of(outcome_->packs, &PackOutcome::is_written) ||
                         !outcome_->removed_packs.empty();
  if (outcome_->is_changed) return {};
  SKL_TRY(const auto is_current, is_catalog_current());
  outcome_->is_changed = !is_current;
  return {};
}

Result<bool> PackOutput::is_catalog_current() {
  std::vector<WrittenPack> written;
  for (size_t i = 0; i < input_.layout.packs.size(); ++i) {
    PackOutcome& of = outcome_->packs[i];
    SKL_TRY(auto finished,
            read_finished_pack(input_.layout.packs[i], path_of(of.written.file_name)));
    of.written = finished.written;
    written.push_back(std::move(finished.written));
  }
  SKL_TRY(auto catalog, build_catalog(input_.layout, written, hash_seed_));
  catalog.seal();
  const std::vector<std::byte> bytes = catalog.take_bytes();
  const auto there = read_text(path_of(runtime::kCatalogName), bytes.size() + 1);
  return there && std::ranges::equal(std::as_bytes(std::span(*there)), bytes);
}

Result<SetUpdate> PackOutput::write(
    const BuildStages& stages, const std::function<Result<void>(const SetUpdate&)>& before_commit) {
  std::vector<std::string> known;
  if (input_.state != nullptr)
    for (const KnownPack& pack : input_.state->packs) known.push_back(pack.name);
  SKL_TRY(auto folder, PackFolder::open(input_.file.packs->folder, std::move(known)));
  const PackWriteOptions options = {.codec = input_.file.packs->codec,
                                    .threads = input_.options.threads,
                                    .hash_seed = hash_seed_,
                                    .done_bytes = stages.begin_work("packing", bytes_to_write()),
                                    .checks_content = false};  // check_inputs() checks the content
  SetUpdateHooks hooks;
  hooks.is_current = [&](size_t pack) { return !outcome_->packs[pack].is_written; };
  hooks.before_commit = [&](const SetUpdate& update) -> Result<void> {
    SKL_TRY_DO(take_hashes(update));
    return before_commit(update);
  };
  SKL_TRY(auto update, update_pack_set(input_.layout, options, folder, hooks));
  outcome_->is_changed = outcome_->is_changed || update.is_changed;
  for (size_t i = 0; i < update.packs.size(); ++i)
    outcome_->packs[i].written = update.packs[i].written;
  return update;
}

uint64_t PackOutput::bytes_to_write() const {
  uint64_t bytes = 0;
  for (size_t i = 0; i < outcome_->packs.size(); ++i)
    if (outcome_->packs[i].is_written) bytes += input_.layout.packs[i].size_bytes();
  return bytes;
}

// Stores the hashes of content that was read for the first time. Fails if other content has changed
// since it was hashed.
Result<void> PackOutput::take_hashes(const SetUpdate& update) {
  for (size_t i = 0; i < update.packs.size(); ++i) {
    if (!update.is_written[i]) continue;
    const std::vector<LaidAsset>& assets = input_.layout.packs[i].assets;
    for (size_t k = 0; k < assets.size(); ++k) {
      const uint32_t index = index_of(assets[k].path);
      const format::ContentHash& hash = update.packs[i].hashes[k];
      if (next_->origins[index] == HashOrigin::provisional) {
        next_->state.assets[index].hash = hash;
        next_->origins[index] = HashOrigin::read;
      } else if (next_->state.assets[index].hash != hash) {
        return changed_meanwhile(
            fmt::format("{}: other bytes than before, with the same stamp", assets[k].path));
      }
    }
  }
  return {};
}

void PackOutput::add_packs(const SetUpdate& update, bool is_in_place) const {
  BuildState& state = next_->state;
  state.packs.clear();
  for (size_t i = 0; i < update.packs.size(); ++i) {
    const WrittenPack& written = update.packs[i].written;
    KnownPack known = {.name = written.file_name, .pack_id = written.pack_id};
    known.key = key_of(input_.layout.packs[i]).value_or(0);
    if (is_in_place || !update.is_written[i]) known.stamp = stamp_in_place(known.name);
    state.packs.push_back(std::move(known));
  }
  if (is_in_place) state.catalog = stamp_in_place(runtime::kCatalogName);
}

}  // namespace seekless
