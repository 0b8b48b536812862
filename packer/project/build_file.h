// Reads the build file, `seekless.json`, which says what a game is built from and into. It lies
// beside the content, and is JSON with comments, as in schemas/build.schema.json. Paths in it are
// relative to its own folder.
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

// Holds the build file. Paths are absolute here; patterns and other texts are as they were written.
struct BuildFile {
  std::string path;    // the file's path as the user wrote it
  std::string folder;  // the folder that the file lies in
  std::vector<std::string> roots;
  ScanOptions scan;
  std::vector<std::string> traces;  // patterns of files, relative to `folder`
  std::vector<std::string> maps;    // "FROM=TO"
  std::vector<std::string> splits;  // values of --split and --mark
  std::vector<std::string> marks;
  std::vector<std::string> runs;  // values of --runs
  bool lenient = false;
  PlanSettings plan;
  std::optional<PacksOutput> packs;
  std::optional<ZipsOutput> zips;
  std::string lock;              // empty if there is none
  GenerationPrices generations;  // used only with a lock
  ReportFiles reports;
  std::string state;         // folder for what builds remember
  unsigned threads = 0;      // 0: as many as there are cores, at most 8
  uint64_t fingerprint = 0;  // hash of the text
};

inline constexpr const char* kBuildFileName = "seekless.json";

// Parses the text, which may come from anyone. `path` is where the file lies, for messages and for
// its folder.
Result<BuildFile> parse_build_file(std::string_view text, const std::string& path);
// Reads at most 16 MiB. If `path` is a folder, the `seekless.json` in it is read.
Result<BuildFile> read_build_file(const std::string& path);

// Resolves `path` relative to `folder`. The result is absolute, without "." and ".."; links aren't
// followed.
std::string path_from(const std::string& folder, const std::string& path);

}  // namespace seekless
