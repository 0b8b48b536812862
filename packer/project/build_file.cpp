#include "packer/project/build_file.h"

#include <array>
#include <bit>
#include <filesystem>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <xxhash.h>

#include "packer/base/glob.h"
#include "packer/base/json_fields.h"
#include "packer/base/paths.h"
#include "packer/host/files.h"
#include "packer/host/native_path.h"
#include "packer/trace/path_map.h"
#include "packer/trace/run_name.h"
#include "packer/trace/scenario_marks.h"

namespace seekless {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr uint64_t kMostThreads = 64;
constexpr const char* kStateFolder = ".seekless";

constexpr std::array<std::string_view, 2> kOutputKeys = {"packs", "zips"};
constexpr std::array<std::string_view, 2> kPacksKeys = {"folder", "codec"};
constexpr std::array<std::string_view, 6> kZipsKeys = {"folder", "align",    "keep_compression",
                                                       "store",  "compress", "sort_directory"};
constexpr std::array<std::string_view, 3> kGenerationKeys = {"max_dead", "rewrite_price",
                                                             "max_pack_mb"};
constexpr double kMostRewritePrice = 1000;
constexpr double kLeastPackMb = 0.1;
constexpr double kMostPackMb = 1e9;
constexpr std::array<std::string_view, 3> kReportKeys = {"html", "markdown", "json"};

class BuildFileParser {
 public:
  BuildFileParser(const std::string& path, const Json& json)
      : fields_(path), file_(path), json_(json) {
    const fs::path parent = path_of_text(path).parent_path();
    build_.path = path;
    build_.folder = path_from("", parent.empty() ? "." : text_of_path(parent));
  }

  Result<BuildFile> parse() {
    SKL_TRY(auto plan, to_plan_settings(json_, file_));
    build_.plan = std::move(plan);
    for (const auto read : {&BuildFileParser::content, &BuildFileParser::traces,
                            &BuildFileParser::outputs, &BuildFileParser::rest})
      SKL_TRY_DO((this->*read)());
    return std::move(build_);
  }

 private:
  std::string here(const std::string& path) const { return path_from(build_.folder, path); }

  Result<void> texts(const std::string& key, std::vector<std::string>& into) const {
    SKL_TRY(auto read, fields_.texts(json_, "", key));
    into = std::move(read);
    return {};
  }

  Result<void> path(const Json& object, const std::string& place, const std::string& key,
                    std::string& into) const {
    SKL_TRY(const auto text, fields_.text(object, place, key));
    if (text) into = here(*text);
    return {};
  }

  Result<void> content() {
    SKL_TRY_DO(texts("content", build_.roots));
    if (build_.roots.empty())
      return fields_.wrong("content", "folders or archives with the game's content", "none");
    for (std::string& root : build_.roots) root = here(root);
    SKL_TRY_DO(texts("exclude", build_.scan.exclude));
    SKL_TRY_DO(texts("opaque", build_.scan.opaque));
    SKL_TRY_DO(texts("take_apart", build_.scan.take_apart));
    SKL_TRY(const auto keep, fields_.flag(json_, "", "keep_archives"));
    build_.scan.keep_archives = keep.value_or(false);
    SKL_TRY(const auto strict, fields_.flag(json_, "", "strict"));
    build_.scan.strict = strict.value_or(false);
    build_.scan.fold_case = build_.plan.options.fold_case;
    return {};
  }

  Result<void> traces() {
    SKL_TRY_DO(texts("traces", build_.traces));
    exclude_traces();
    SKL_TRY_DO(texts("map", build_.maps));
    for (std::string& rule : build_.maps) {
      if (auto checked = PathMap::parse(rule); !checked)
        return fields_.wrong("map", "FROM=TO", fmt::format("'{}'", rule.substr(0, 100)));
      const size_t equals = rule.find('=');
      rule = rule.substr(0, equals + 1) + here(rule.substr(equals + 1));
    }
    SKL_TRY_DO(texts("split", build_.splits));
    SKL_TRY_DO(texts("mark", build_.marks));
    for (const std::string& mark : build_.marks)
      if (auto checked = parse_time_mark(mark); !checked)
        return fields_.wrong("mark", "TIME=NAME, such as 12.5=map/rush",
                             fmt::format("'{}'", mark.substr(0, 100)));
    SKL_TRY_DO(texts("runs", build_.runs));
    for (const std::string& rule : build_.runs)
      if (auto checked = RunRule::parse(rule); !checked)
        return fields_.wrong("runs", "GLOB=NAME, such as boot-*=boot",
                             fmt::format("'{}'", rule.substr(0, 100)));
    SKL_TRY(const auto lenient, fields_.flag(json_, "", "lenient"));
    build_.lenient = lenient.value_or(false);
    return {};
  }

  // Excludes recordings that lie in a folder of the content. A pattern without a folder is skipped,
  // because it would exclude files of that name in any folder.
  void exclude_traces() {
    for (const std::string& pattern : build_.traces)
      for (const std::string& root : build_.roots) {
        const std::string path = here(pattern);
        if (!path.starts_with(root + "/")) continue;
        const std::string relative = path.substr(root.size() + 1);
        if (relative.contains('/')) build_.scan.exclude.push_back(relative);
      }
  }

  Result<void> outputs() {
    if (!json_.contains("outputs"))
      return fields_.wrong("outputs", R"({"packs": {"folder": ...}}, or zips, or both)", "nothing");
    const Json& outputs = json_["outputs"];
    SKL_TRY_DO(fields_.check_keys(outputs, "outputs", kOutputKeys));
    if (outputs.empty()) return fields_.wrong("outputs", "packs, zips or both", "neither");
    if (outputs.contains("packs")) SKL_TRY_DO(packs(outputs["packs"]));
    return outputs.contains("zips") ? zips(outputs["zips"]) : Result<void>{};
  }

  Result<void> packs(const Json& json) {
    const std::string place = "outputs, packs";
    SKL_TRY_DO(fields_.check_keys(json, place, kPacksKeys));
    PacksOutput& packs = build_.packs.emplace();
    SKL_TRY_DO(folder(json, place, packs.folder));
    const auto codec = fields_.text(json, place, "codec");
    if (!codec) return std::unexpected(codec.error());
    const std::string name = codec->value_or("raw");
    if (name != "raw" && name != "lz4")
      return fields_.wrong(place + ", codec", "raw or lz4",
                           fmt::format("'{}'", name.substr(0, 100)));
    packs.codec = name == "lz4" ? format::Codec::lz4 : format::Codec::raw;
    return {};
  }

  Result<void> zips(const Json& json) {
    const std::string place = "outputs, zips";
    SKL_TRY_DO(fields_.check_keys(json, place, kZipsKeys));
    ZipsOutput& zips = build_.zips.emplace();
    SKL_TRY_DO(folder(json, place, zips.folder));
    SKL_TRY(const auto keep, fields_.flag(json, place, "keep_compression"));
    if (keep.value_or(false)) zips.rewrite.compression = Compression::keep;
    SKL_TRY(const auto sort, fields_.flag(json, place, "sort_directory"));
    zips.rewrite.sort_directory = sort.value_or(false);
    SKL_TRY_DO(rules(json, place, "store", Compression::store, zips.rewrite));
    SKL_TRY_DO(rules(json, place, "compress", Compression::deflate, zips.rewrite));
    return align(json, place, zips.rewrite.alignment);
  }

  Result<void> rules(const Json& json, const std::string& place, const std::string& key,
                     Compression compression, RewriteOptions& into) const {
    SKL_TRY(const auto globs, fields_.texts(json, place, key));
    for (const std::string& glob : globs) into.rules.push_back({glob, compression});
    return {};
  }

  Result<void> align(const Json& json, const std::string& place, DataAlignment& into) const {
    SKL_TRY(const auto bytes, fields_.whole_number(json, place, "align"));
    if (!bytes) return {};
    if (!std::has_single_bit(*bytes) || *bytes > kMaxZipAlignmentBytes)
      return fields_.wrong(place + ", align",
                           fmt::format("a power of two up to {}", kMaxZipAlignmentBytes),
                           fmt::to_string(*bytes));
    into = {.bytes = static_cast<uint32_t>(*bytes), .is_for_all = true};
    return {};
  }

  Result<void> folder(const Json& object, const std::string& place, std::string& into) const {
    SKL_TRY_DO(path(object, place, "folder", into));
    if (into.empty()) return fields_.wrong(place, "'folder', where to write", "none");
    return {};
  }

  Result<void> generations() {
    const std::string place = "generations";
    if (!json_.contains(place)) return {};
    const Json& json = json_[place];
    SKL_TRY_DO(fields_.check_keys(json, place, kGenerationKeys));
    GenerationPrices& prices = build_.generations;
    const auto number = [&](const char* key, double least, double most,
                            double& into) -> Result<void> {
      SKL_TRY(const auto value, fields_.number(json, place, key));
      if (value && !(*value >= least && *value <= most))
        return fields_.wrong(place + ", " + key, fmt::format("{} to {}", least, most),
                             fmt::to_string(*value));
      into = value.value_or(into);
      return {};
    };
    SKL_TRY_DO(number("max_dead", 0, 1, prices.max_dead));
    SKL_TRY_DO(number("rewrite_price", 1, kMostRewritePrice, prices.rewrite_price));
    double most_mb = 0;
    SKL_TRY_DO(number("max_pack_mb", kLeastPackMb, kMostPackMb, most_mb));
    if (most_mb > 0) prices.max_pack_bytes = static_cast<uint64_t>(most_mb * 1e6);
    return {};
  }

  Result<void> rest() {
    SKL_TRY_DO(path(json_, "", "lock", build_.lock));
    SKL_TRY_DO(generations());
    build_.state = here(kStateFolder);
    SKL_TRY_DO(path(json_, "", "state", build_.state));
    if (json_.contains("report")) {
      const Json& report = json_["report"];
      SKL_TRY_DO(fields_.check_keys(report, "report", kReportKeys));
      for (const auto& [key, into] : {std::pair("html", &build_.reports.html),
                                      std::pair("markdown", &build_.reports.markdown),
                                      std::pair("json", &build_.reports.json)})
        SKL_TRY_DO(path(report, "report", key, *into));
    }
    SKL_TRY(const auto threads, fields_.whole_number(json_, "", "threads"));
    if (threads && (*threads == 0 || *threads > kMostThreads))
      return fields_.wrong("threads", "1 to 64", fmt::to_string(*threads));
    build_.threads = static_cast<unsigned>(threads.value_or(0));
    return check_folders();
  }

  // Checks that outputs lie outside the content, so that the next build doesn't read them as
  // content.
  Result<void> check_folders() const {
    std::vector<std::pair<std::string, std::string>> written = {{"state", build_.state}};
    if (build_.packs) written.emplace_back("outputs, packs, folder", build_.packs->folder);
    if (build_.zips) written.emplace_back("outputs, zips, folder", build_.zips->folder);
    for (size_t i = 0; i < written.size(); ++i) {
      const auto& [place, folder] = written[i];
      for (const std::string& root : build_.roots) SKL_TRY_DO(check_apart(place, folder, root));
      for (size_t j = 0; j < i; ++j)
        if (folder == written[j].second)
          return fields_.wrong(place, "a folder of its own", "that of " + written[j].first);
    }
    return check_files(written);
  }

  // Checks that no other file is placed in a folder of outputs. Such folders are written as a
  // whole, and the next build would refuse any other file in them.
  Result<void> check_files(const std::vector<std::pair<std::string, std::string>>& folders) const {
    for (const auto& [place, path] :
         {std::pair<std::string_view, const std::string*>("lock", &build_.lock),
          {"report, html", &build_.reports.html},
          {"report, markdown", &build_.reports.markdown},
          {"report, json", &build_.reports.json}})
      for (const auto& [key, folder] : folders)
        if (key != "state" && !path->empty() && lies_in(*path, folder))
          return fields_.wrong(std::string(place),
                               "a place outside of the outputs, which hold nothing else",
                               fmt::format("'{}', in '{}' ({})", *path, folder, key));
    for (const auto& [key, folder] : folders)
      for (const auto& [other, inner] : folders)
        if (key != "state" && key != other && lies_in(inner, folder))
          return fields_.wrong(other, "a place outside of the other outputs",
                               fmt::format("'{}', in '{}' ({})", inner, folder, key));
    return {};
  }

  Result<void> check_apart(const std::string& place, const std::string& folder,
                           const std::string& root) const {
    if (lies_in(root, folder))
      return fields_.wrong(place, "a folder apart from the content", "that of " + root);
    if (!lies_in(folder, root)) return {};
    const std::string relative = folder.substr(root == "/" ? 1 : root.size() + 1);
    if (matches_any_glob(build_.scan.exclude, relative + "/any/file")) return {};
    return wrong_usage({.file = file_,
                        .place = place,
                        .expected = "a folder apart from the content, or one that 'exclude' names",
                        .found = fmt::format("'{}' in '{}'", relative, root),
                        .advice = fmt::format("exclude '{}/**'", relative)});
  }

  const JsonFields fields_;
  const std::string& file_;
  const Json& json_;
  BuildFile build_;
};

}  // namespace

std::string path_from(const std::string& folder, const std::string& path) {
  std::error_code error;
  fs::path whole = path_of_text(folder) / path_of_text(path);
  if (whole.is_relative()) whole = fs::current_path(error) / whole;
  const size_t root_bytes = text_of_path(whole.root_path()).size();
  std::string normal = text_of_path(whole.lexically_normal());
  while (normal.size() > root_bytes && normal.ends_with('/')) normal.pop_back();
  return normal;
}

Result<BuildFile> parse_build_file(std::string_view text, const std::string& path) {
  SKL_TRY(const auto json, parse_build_json(text, path));
  auto build = BuildFileParser(path, json).parse();
  if (build) build->fingerprint = XXH3_64bits(text.data(), text.size());
  return build;
}

Result<BuildFile> read_build_file(const std::string& path) {
  const std::string file =
      kind_of_path(path) == PathKind::folder ? path + "/" + kBuildFileName : path;
  if (kind_of_path(file) == PathKind::missing)
    return wrong_usage({.file = file,
                        .expected = "a build file",
                        .found = "none",
                        .advice = "'seekless init' writes one for a folder"});
  SKL_TRY(const auto text, read_text(file, kMostBuildFileBytes));
  return parse_build_file(text, file);
}

}  // namespace seekless
