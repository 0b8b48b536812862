// The build file, `seekless.json`: what a game is built from and into, kept beside its content.
// JSON as in schemas/build.schema.json, with comments; paths in it start from its own folder.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "packer/base/error.h"
#include "packer/content/content.h"
#include "packer/keep/generations.h"
#include "packer/plan/plan_settings.h"
#include "packer/repack/rewrite_zip.h"
#include "runtime/pack_format.h"

namespace seekless {

struct PacksOutput {
  std::string folder;
  format::Codec codec = format::Codec::raw;
};

struct ZipsOutput {
  std::string folder;
  RewriteOptions rewrite = {};
};

struct ReportFiles {
  std::string html;
  std::string markdown;
  std::string json;
};

// Paths are absolute here; patterns and other texts are as they were written.
struct BuildFile {
  std::string path;    // as the user wrote it
  std::string folder;  // that it lies in
  std::vector<std::string> roots;
  ScanOptions scan;
  std::vector<std::string> traces;  // patterns of files, from `folder`
  std::vector<std::string> maps;    // "FROM=TO"
  std::vector<std::string> splits;  // as --split and --mark
  std::vector<std::string> marks;
  std::vector<std::string> runs;  // as --runs
  bool lenient = false;
  PlanSettings plan;
  std::optional<PacksOutput> packs;
  std::optional<ZipsOutput> zips;
  std::string lock;              // empty: none
  GenerationPrices generations;  // only with a lock
  ReportFiles reports;
  std::string state;         // folder for what builds remember
  unsigned threads = 0;      // 0: as many as there are cores, 8 at most
  uint64_t fingerprint = 0;  // of the text; another build file has another one
};

inline constexpr const char* kBuildFileName = "seekless.json";

// Anyone may have written the text. `path` is where it lies: for messages, and for its folder.
Result<BuildFile> parse_build_file(std::string_view text, const std::string& path);
// At most 16 MiB. A folder means the `seekless.json` in it.
Result<BuildFile> read_build_file(const std::string& path);

// `path` as it is called from `folder`, without "." and "..": absolute, links not followed.
std::string path_from(const std::string& folder, const std::string& path);

}  // namespace seekless
