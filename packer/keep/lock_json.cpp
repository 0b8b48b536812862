// Reads and writes layout.lock as JSON, with one line for each asset.
#include <algorithm>
#include <charconv>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "packer/base/hasher.h"
#include "packer/base/json_depth.h"
#include "packer/base/json_value.h"
#include "packer/host/files.h"
#include "packer/host/pending_file.h"
#include "packer/keep/lock.h"
#include "packer/layout/json_characters.h"

namespace seekless {
namespace {

using Json = nlohmann::ordered_json;

constexpr uint32_t kVersion = 2;
constexpr int kItemDepth = 2;   // lock > scenarios or packs > one of them
constexpr int kAssetDepth = 4;  // lock > packs > pack > assets > asset
constexpr size_t kBlocksPerLine = 10;
constexpr const char* kAdvice =
    "after a merge take one side's lock as it is, and build again; or make a new layout";

[[noreturn]] void refuse(const std::string& what) {
  throw Json::other_error::create(500, what, nullptr);
}

std::string text_of(std::string_view text) {
  return Json(text).dump();
}

std::string asset_line(const LockedAsset& asset) {
  std::string line = fmt::format(R"({{"path":{},"bytes":{},"at":[{},{}],"set":{})",
                                 text_of(asset.path), asset.size_bytes, asset.place.block,
                                 asset.place.offset_bytes, asset.scenario_set);
  if (asset.alignment_bytes != kDefaultAlignmentBytes)
    line += fmt::format(R"(,"alignment":{})", asset.alignment_bytes);
  return line + fmt::format(R"(,"hash":"{}"}})", to_hex(asset.hash));
}

std::string block_lines(const std::vector<uint32_t>& blocks) {
  std::string lines;
  for (size_t i = 0; i < blocks.size(); ++i) {
    if (i % kBlocksPerLine == 0) lines += i == 0 ? "\n        " : ",\n        ";
    lines += fmt::format("{}{}", i % kBlocksPerLine == 0 ? "" : ",", blocks[i]);
  }
  return lines + (blocks.empty() ? "" : "\n      ");
}

std::string changes_text(const ChangeHistory& changes) {
  if (changes.is_empty()) return "";
  const JudgedChances& judged = changes.judged;
  std::string text = fmt::format(
      "  \"changes\": {{\n    \"judged\": {{\"assets\":{},\"loss\":{},\"constant_loss\":{}}},\n"
      "    \"extensions\": [",
      judged.assets, judged.loss, judged.constant_loss);
  const char* separator = "";
  for (const auto& [extension, counts] : changes.extensions)
    text +=
        fmt::format("{}\n      {{\"extension\":{},\"seen\":{},\"edited\":{}}}",
                    std::exchange(separator, ","), text_of(extension), counts.seen, counts.edited);
  return text + "\n    ]\n  },\n";
}

// Collects the text, and passes it on in large pieces.
class LockWriter {
 public:
  explicit LockWriter(PendingFile& file) : file_(file) {}

  Result<void> write(const LayoutLock& lock) {
    text_ = fmt::format(
        "{{\n  \"seekless\": \"lock\",\n  \"version\": {},\n  \"block_bytes\": {},\n"
        "  \"fold_case\": {},\n  \"read_through_bytes\": {},\n  \"scenarios\": [",
        kVersion, lock.block_bytes, lock.fold_case, lock.read_through_bytes);
    for (size_t i = 0; i < lock.scenarios.size(); ++i)
      text_ += fmt::format("{}\n    {{\"name\":{},\"runs\":{}}}", i == 0 ? "" : ",",
                           text_of(lock.scenarios[i].name), lock.scenarios[i].runs);
    text_ +=
        lock.scenarios.empty() ? "],\n  \"scenario_sets\": [" : "\n  ],\n  \"scenario_sets\": [";
    for (size_t i = 0; i < lock.scenario_sets.size(); ++i)
      text_ +=
          fmt::format("{}\n    [{}]", i == 0 ? "" : ",", fmt::join(lock.scenario_sets[i], ","));
    text_ += lock.scenario_sets.empty() ? "],\n" : "\n  ],\n";
    text_ += changes_text(lock.changes);
    text_ += "  \"packs\": [";
    for (size_t i = 0; i < lock.packs.size(); ++i) SKL_TRY_DO(write_pack(lock.packs[i], i == 0));
    text_ += lock.packs.empty() ? "]\n}\n" : "\n  ]\n}\n";
    return file_.append(text_);
  }

 private:
  Result<void> write_pack(const LockedPack& pack, bool is_first) {
    text_ += fmt::format(
        "{}\n    {{\n      \"name\": {},\n      \"kind\": {},\n{}      \"data_offset\": {},\n"
        "      \"blocks\": [{}],\n      \"assets\": [",
        is_first ? "" : ",", text_of(pack.name), text_of(to_string(pack.kind)), generation_of(pack),
        pack.data_offset_bytes, block_lines(pack.block_raw_bytes));
    SKL_TRY_DO(write_assets(pack.assets));
    if (!pack.dead.empty()) {
      text_ += ",\n      \"dead\": [";
      SKL_TRY_DO(write_assets(pack.dead));
    }
    text_ += "\n    }";
    return {};
  }

  static std::string generation_of(const LockedPack& pack) {
    std::string text;
    if (pack.role != PackRole::home)
      text += fmt::format("      \"role\": {},\n", text_of(to_string(pack.role)));
    if (pack.pack_id) text += fmt::format("      \"id\": \"{:016x}\",\n", *pack.pack_id);
    return text;
  }

  Result<void> write_assets(const std::vector<LockedAsset>& assets) {
    for (size_t i = 0; i < assets.size(); ++i) {
      text_ += i == 0 ? "\n        " : ",\n        ";
      text_ += asset_line(assets[i]);
      if (text_.size() < size_t{1} << 20) continue;
      SKL_TRY_DO(file_.append(text_));
      text_.clear();
    }
    text_ += assets.empty() ? "]" : "\n      ]";
    return {};
  }

  PendingFile& file_;
  std::string text_;
};

template <typename Number>
Number number(const Json& json, const char* key) {
  return whole_number<Number>(json.at(key), key);
}

format::ContentHash to_hash(const std::string& text) {
  format::ContentHash hash = {};
  if (text.size() != 2 * hash.size()) refuse("'hash' isn't 32 hexadecimal digits");
  for (size_t i = 0; i < hash.size(); ++i) {
    const char* from = text.data() + 2 * i;
    const auto [end, error] = std::from_chars(from, from + 2, hash[i], 16);
    if (error != std::errc() || end != from + 2 || (*from >= 'A' && *from <= 'F'))
      refuse("'hash' isn't 32 hexadecimal digits");
  }
  return hash;
}

LockedAsset to_asset(const Json& json) {
  LockedAsset asset;
  asset.size_bytes = number<uint64_t>(json, "bytes");
  const Json& at = json.at("at");
  if (!at.is_array() || at.size() != 2) refuse("'at' isn't a pair of block and offset");
  asset.place = {whole_number<uint32_t>(at[0], "at"), whole_number<uint32_t>(at[1], "at")};
  asset.scenario_set = number<uint32_t>(json, "set");
  if (json.contains("alignment")) asset.alignment_bytes = number<uint32_t>(json, "alignment");
  asset.hash = to_hash(json.at("hash").get<std::string>());
  return asset;
}

uint64_t count_in(const Json& json, const char* key) {
  const auto count = number<uint64_t>(json, key);
  if (count > ChangeHistory::kMostCount) refuse(fmt::format("'{}' is more than can be", key));
  return count;
}

ChangeHistory to_changes(const Json& json) {
  ChangeHistory changes;
  const Json& judged = json.at("judged");
  changes.judged = {.assets = count_in(judged, "assets"),
                    .loss = count_in(judged, "loss"),
                    .constant_loss = count_in(judged, "constant_loss")};
  for (const Json& one : json.at("extensions")) {
    const ChangeCounts counts = {.seen = count_in(one, "seen"), .edited = count_in(one, "edited")};
    if (counts.edited > counts.seen) refuse("more assets were edited than seen");
    if (!changes.extensions.emplace(one.at("extension").get<std::string>(), counts).second)
      refuse("an extension is there twice");
  }
  if (changes.extensions.size() > ChangeHistory::kMostExtensions)
    refuse(fmt::format("there are more than {} extensions", ChangeHistory::kMostExtensions));
  return changes;
}

PackKind to_kind(const std::string& name) {
  for (const PackKind kind : {PackKind::common, PackKind::sub, PackKind::cold})
    if (name == to_string(kind)) return kind;
  refuse(fmt::format("'{}' isn't a kind of pack", name));
}

PackRole to_role(const std::string& name) {
  for (const PackRole role : {PackRole::home, PackRole::overlay, PackRole::generation})
    if (name == to_string(role)) return role;
  refuse(fmt::format("'{}' isn't the role of a pack", name));
}

uint64_t to_pack_id(const std::string& text) {
  uint64_t id = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), id, 16);
  if (text.size() != 16 || error != std::errc() || end != text.data() + text.size())
    refuse("'id' isn't 16 hexadecimal digits");
  return id;
}

LaidScenario to_scenario(const Json& json) {
  return {json.at("name").get<std::string>(), number<uint32_t>(json, "runs"), {}};
}

// Turns assets, packs and scenarios into records while parsing, and keeps the rest as a tree; like
// LayoutReader, no long array of objects.
class LockReader {
 public:
  explicit LockReader(const Content* content) : content_(content) {}

  bool keep(int depth, Json::parse_event_t event, Json& value) {
    check_json_depth<Json>(depth, event);
    if (event == Json::parse_event_t::key && depth == 1) section_ = value.get<std::string>();
    if (event == Json::parse_event_t::key && depth == kItemDepth + 1)
      in_dead_ = value.get<std::string>() == "dead";
    if (event != Json::parse_event_t::object_end) return true;
    if (section_ == "scenarios" && depth == kItemDepth) {
      lock_.scenarios.push_back(to_scenario(value));
      return false;
    }
    if (section_ != "packs") return true;
    if (depth == kAssetDepth) {
      LockedAsset& asset = (in_dead_ ? dead_ : assets_).emplace_back(to_asset(value));
      asset.path = keep_path(value.at("path").get_ref<const std::string&>());
      return false;
    }
    if (depth != kItemDepth) return true;
    LockedPack& pack = lock_.packs.emplace_back();
    pack.name = value.at("name").get<std::string>();
    pack.kind = to_kind(value.at("kind").get<std::string>());
    pack.data_offset_bytes = number<uint64_t>(value, "data_offset");
    for (const Json& raw_bytes : value.at("blocks"))
      pack.block_raw_bytes.push_back(whole_number<uint32_t>(raw_bytes, "blocks"));
    pack.assets = std::exchange(assets_, {});
    pack.dead = std::exchange(dead_, {});
    if (value.contains("role")) pack.role = to_role(value.at("role").get<std::string>());
    pack.pack_id = to_pack_id(value.at("id").get<std::string>());
    return false;
  }

  LayoutLock finish(const Json& rest) {
    lock_.block_bytes = number<uint32_t>(rest, "block_bytes");
    lock_.fold_case = rest.at("fold_case").get<bool>();
    lock_.read_through_bytes = number<uint64_t>(rest, "read_through_bytes");
    for (const Json& no_object : rest.at("scenarios"))
      lock_.scenarios.push_back(to_scenario(no_object));  // throws what is wrong with it
    for (const Json& set : rest.at("scenario_sets")) {
      if (!set.is_array()) refuse("a scenario set isn't an array");
      std::vector<uint32_t>& numbers = lock_.scenario_sets.emplace_back();
      for (const Json& scenario : set)
        numbers.push_back(whole_number<uint32_t>(scenario, "scenario_sets"));
    }
    if (rest.contains("changes")) lock_.changes = to_changes(rest.at("changes"));
    return std::move(lock_);
  }

 private:
  // Most paths also occur in today's content, and then need no memory of their own.
  PooledPath keep_path(std::string_view path) {
    const Asset* found = content_ == nullptr ? nullptr : content_->find(path);
    return found != nullptr ? found->path : lock_.paths.add(path);
  }

  const Content* content_;
  LayoutLock lock_;
  std::string section_;
  bool in_dead_ = false;
  std::vector<LockedAsset> assets_;
  std::vector<LockedAsset> dead_;
};

Result<void> check_version(const Json& rest, const std::string& path) {
  if (!rest.is_object() || rest.value("seekless", "") != "lock")
    return damaged({.file = path,
                    .expected = "a layout.lock made by 'seekless build'",
                    .found = "another JSON file",
                    .advice = "name that, or build without one"});
  const uint64_t version = rest.value("version", uint64_t{0});
  if (version == kVersion) return {};
  return damaged(
      {.file = path,
       .expected = fmt::format("lock version {}", kVersion),
       .found = fmt::to_string(version),
       .advice = "build with the version of seekless that made it, or make a new layout"});
}

Layout layout_of(const LayoutLock& lock) {
  return {.paths = lock.paths,
          .block_bytes = lock.block_bytes,
          .fold_case = lock.fold_case,
          .read_through_bytes = lock.read_through_bytes,
          .sources = {{.path = "any"}},
          .scenarios = lock.scenarios,
          .scenario_sets = lock.scenario_sets,
          .packs = {}};
}

void lay(const std::vector<LockedAsset>& assets, LaidPack& pack) {
  for (const LockedAsset& asset : assets) {
    LaidAsset& laid = pack.assets.emplace_back();
    laid.path = asset.path;
    laid.size_bytes = asset.size_bytes;
    laid.scenario_set = asset.scenario_set;
    laid.alignment_bytes = asset.alignment_bytes;
    pack.places->assets.push_back(asset.place);
  }
}

Result<void> check_sorted(const std::vector<LockedAsset>& assets, const LockedPack& pack,
                          const std::string& path) {
  for (size_t i = 1; i < assets.size(); ++i)
    if (assets[i - 1].path >= assets[i].path)
      return damaged({.file = path,
                      .place = fmt::format("pack '{}'", pack.name),
                      .expected = "assets sorted by path",
                      .found = fmt::format("'{}' after '{}'", assets[i].path, assets[i - 1].path),
                      .advice = kAdvice});
  return {};
}

Result<void> check_as_layout(const Layout& layout, const std::string& path) {
  auto checked = check_layout(layout, path);
  if (!checked) {
    std::string& message = checked.error().message;
    const std::string planned = "; plan again";
    if (message.ends_with(planned)) message.resize(message.size() - planned.size());
    message += fmt::format("; {}", kAdvice);
  }
  return checked;
}

// Checks a lock like the layout that it stands for. Dead assets lie in their pack like all others,
// but may differ in size from live assets with the same path.
Result<void> check_lock(const LayoutLock& lock, const std::string& path) {
  Layout layout = layout_of(lock);
  for (const LockedPack& locked : lock.packs) {
    LaidPack& pack = layout.packs.emplace_back(LaidPack{locked.name, locked.kind, {}});
    pack.places = LaidPlaces{locked.data_offset_bytes, locked.block_raw_bytes, {}};
    pack.assets.reserve(locked.assets.size());
    pack.places->assets.reserve(locked.assets.size());
    lay(locked.assets, pack);
    for (const auto* assets : {&locked.assets, &locked.dead})
      SKL_TRY_DO(check_sorted(*assets, locked, path));
    if (locked.dead.empty()) continue;
    Layout file = layout_of(lock);
    lay(locked.dead, file.packs.emplace_back(pack));
    SKL_TRY_DO(check_as_layout(file, path));
  }
  return check_as_layout(layout, path);
}

}  // namespace

Result<void> write_lock(const LayoutLock& lock, const std::string& path) {
  SKL_TRY(auto file, PendingFile::create(path));
  SKL_TRY_DO(LockWriter(file).write(lock));
  return file.commit();
}

Result<LayoutLock> read_lock(const std::string& path, const Content* content) {
  SKL_TRY(const auto stream, open_stream(path));
  JsonCharacters characters(*stream);
  LockReader reader(content);
  try {
    const Json rest = Json::parse(JsonCharacters::CharacterIterator{&characters},
                                  JsonCharacters::CharacterIterator{},
                                  [&](int depth, Json::parse_event_t event, Json& value) {
                                    return reader.keep(depth, event, value);
                                  });
    SKL_TRY_DO(check_version(rest, path));
    LayoutLock lock = reader.finish(rest);
    SKL_TRY_DO(check_lock(lock, path));
    return lock;
  } catch (const Json::exception& error) {
    if (!characters.status()) return std::unexpected(characters.status().error());
    return damaged({.file = path,
                    .expected = "a lock as in schemas/lock.schema.json",
                    .found = short_message(error),
                    .advice = kAdvice});
  }
}

}  // namespace seekless
