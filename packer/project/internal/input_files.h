// Finds the files that a build reads, and their stamps. Comparing stamps tells what has changed
// since the last build, without reading any file.
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
  PooledPath path;    // path relative to the root; if the root is a file, its name
  ChangeStamp stamp;

  bool operator==(const InputFile&) const = default;
};

// Returns the key by which lists of files are sorted.
inline auto sort_key_of(const InputFile& file) {
  return std::tuple(file.root, std::string_view(file.path));
}
inline auto sort_key_of(const KnownFile& file) {
  return std::tuple(file.root, file.path);
}

struct InputFiles {
  PathPool paths;
  std::vector<InputFile> files;  // sorted by root and path
};

// Finds all files below the roots that don't match `exclude`, sorted by root and path. Returns the
// same errors as scan_content.
Result<InputFiles> find_input_files(const std::vector<std::string>& roots,
                                    const std::vector<std::string>& exclude);

// Returns the index of the file at `path`, or the number of files if none of them is.
size_t find_file(std::string_view path, const std::vector<std::string>& roots,
                 const std::vector<InputFile>& files);

// Returns true if `path` is the path of the file `relative` below `root`, or of `root` if that is a
// file.
bool is_at(std::string_view path, std::string_view root, std::string_view relative);

// Returns the index in `files` of each source of the content. Returns none if a source isn't in
// `files`, because it appeared after they were examined; `appeared` is then its path.
std::optional<std::vector<uint32_t>> match_sources(const Content& content,
                                                   const std::vector<std::string>& roots,
                                                   const std::vector<InputFile>& files,
                                                   std::string& appeared);

// Describes for people how a file has changed: "a/b: size 10 -> 12", "a/c: new".
std::string describe_change(const ChangeStamp& before, const ChangeStamp& now);

// Compares the files of the last build, which come one by one in their order, with today's. An
// unsettled file counts as different, because it may differ.
class FileChanges {
 public:
  // `now` must outlive the object. At most `most` changes are listed.
  FileChanges(const std::vector<InputFile>& now, size_t most)
      : now_(now), most_(most), is_known_plain_(now.size()) {}

  void add(const KnownFile& before);
  std::vector<std::string> finish();
  // Returns for each file of today whether it is plain, as the last build saw in the same bytes.
  std::vector<bool> take_known_plain() { return std::move(is_known_plain_); }

 private:
  void add_new_ones(size_t end);
  void tell(std::string_view path, const std::string& what);

  const std::vector<InputFile>& now_;
  const size_t most_;
  size_t next_ = 0;  // index in now_
  std::vector<std::string> changes_;
  std::vector<bool> is_known_plain_;  // indexed like now_
};

// Examines all files again, and describes the first one that was changed, added or removed:
// "content/a: size 10 -> 12".
using InputDifference = std::optional<std::string>;
Result<InputDifference> first_difference(const std::vector<InputFile>& before,
                                         const std::vector<std::string>& roots,
                                         const std::vector<std::string>& exclude);
Result<InputDifference> first_difference(const std::vector<KnownFile>& before,
                                         const std::vector<std::string>& roots,
                                         const std::vector<std::string>& exclude);

// Returns the recordings: files that match any of the patterns, which are relative to `folder`.
// They are sorted, and each is listed once. If a pattern matches none, the error is of kind usage
// and names `file`, the build file.
Result<std::vector<std::string>> expand_patterns(const std::vector<std::string>& patterns,
                                                 const std::string& folder,
                                                 const std::string& file);

}  // namespace seekless
