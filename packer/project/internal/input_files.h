// The files that a build reads, with their stamps: what changed since the last one is told by
// comparing, without reading any of them.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "packer/base/error.h"
#include "packer/content/content.h"
#include "packer/content/path_pool.h"
#include "packer/host/file_stamp.h"
#include "packer/project/internal/build_state.h"

namespace seekless {

struct InputFile {
  uint32_t root = 0;  // number of the content's root
  PooledPath path;    // relative to it; of a root that is a file, its name
  ChangeStamp stamp;

  bool operator==(const InputFile&) const = default;
};

// Lists of files are sorted by it.
inline auto place_of(const InputFile& file) {
  return std::tuple(file.root, std::string_view(file.path));
}
inline auto place_of(const KnownFile& file) {
  return std::tuple(file.root, file.path);
}

struct InputFiles {
  PathPool paths;
  std::vector<InputFile> files;  // sorted by root and path
};

// All files below the roots but those that match `exclude`, sorted by root and path. Errors as of
// scan_content.
Result<InputFiles> find_input_files(const std::vector<std::string>& roots,
                                    const std::vector<std::string>& exclude);

// Whether `path` is that of the file `relative` below `root`, or of a root that is a file.
bool is_at(std::string_view path, std::string_view root, std::string_view relative);

// Of each source of the content its index in `files`. Nothing if a source isn't among them: then it
// appeared after they were looked at, and its path is in `appeared`.
std::optional<std::vector<uint32_t>> match_sources(const Content& content,
                                                   const std::vector<std::string>& roots,
                                                   const std::vector<InputFile>& files,
                                                   std::string& appeared);

// What is different from how files were, for people: "a/b: size 10 -> 12", "a/c: new".
std::string describe_change(const ChangeStamp& before, const ChangeStamp& now);

// Tells what is different between the files of the last build, which come one by one in their
// order, and today's. An unsettled file counts as different, as it may be.
class FileChanges {
 public:
  // `now` outlives it. No more than `most` are told.
  FileChanges(const std::vector<InputFile>& now, size_t most) : now_(now), most_(most) {}

  void add(const KnownFile& before);
  std::vector<std::string> finish();

 private:
  void add_new_ones(size_t end);
  void tell(std::string_view path, const std::string& what);

  const std::vector<InputFile>& now_;
  const size_t most_;
  size_t next_ = 0;  // in now_
  std::vector<std::string> changes_;
};

// Looks at all files again. The first of them whose stamp isn't what it was, or that came or went:
// "content/a: size 10 -> 12".
using Difference = std::optional<std::string>;
Result<Difference> first_difference(const std::vector<InputFile>& before,
                                    const std::vector<std::string>& roots,
                                    const std::vector<std::string>& exclude);
Result<Difference> first_difference(const std::vector<KnownFile>& before,
                                    const std::vector<std::string>& roots,
                                    const std::vector<std::string>& exclude);

// Recordings: files that match any of the patterns, which start from `folder`; sorted, each once. A
// pattern that matches none is an error of kind usage that names `file`, the build file.
Result<std::vector<std::string>> expand_patterns(const std::vector<std::string>& patterns,
                                                 const std::string& folder,
                                                 const std::string& file);

}  // namespace seekless
