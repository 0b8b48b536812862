// The files that a build reads, with their stamps: what changed since the last one is told by
// comparing, without reading any of them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "packer/build/build_state.h"
#include "packer/content/content.h"
#include "packer/host/error.h"
#include "packer/host/file_stamp.h"

namespace seekless {

struct InputFile {
  uint32_t root = 0;  // number of the content's root
  std::string path;   // relative to it; of a root that is a file, its name
  ChangeStamp stamp;

  bool operator==(const InputFile&) const = default;
};

// All files below the roots but those that match `exclude`, sorted by root and path. Errors as of
// scan_content.
Result<std::vector<InputFile>> find_input_files(const std::vector<std::string>& roots,
                                                const std::vector<std::string>& exclude,
                                                unsigned threads = 1);

// Whether `path` is that of the file `relative` below `root`, or of a root that is a file.
bool is_at(std::string_view path, std::string_view root, std::string_view relative);

// Of each source of the content its index in `files`. Nothing if a source isn't among them: then it
// appeared after they were looked at, and its path is in `appeared`.
std::optional<std::vector<uint32_t>> match_sources(const Content& content,
                                                   const std::vector<std::string>& roots,
                                                   const std::vector<InputFile>& files,
                                                   std::string& appeared);

// What is different between two lists, for people: "a/b: size 10 -> 12", "a/c: new". At most
// `most`; empty if nothing is. An unsettled file counts as different, as it may be.
std::vector<std::string> describe_changes(const std::vector<KnownFile>& before,
                                          const std::vector<InputFile>& now, size_t most);
std::string describe_change(const ChangeStamp& before, const ChangeStamp& now);

// The first of the files whose stamp isn't what it was, or that came or went: "content/a: size 10
// -> 12".
std::optional<std::string> first_difference(const std::vector<InputFile>& before,
                                            const std::vector<InputFile>& now);

// Recordings: files that match any of the patterns, which start from `folder`; sorted, each once. A
// pattern that matches none is an error of kind usage that names `file`, the build file.
Result<std::vector<std::string>> expand_patterns(const std::vector<std::string>& patterns,
                                                 const std::string& folder,
                                                 const std::string& file);

}  // namespace seekless
