// The results of links in a folder: one table for the packer and for the reader, which must treat
// them alike.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "tests/content/test_folder.h"

namespace seekless {

struct FolderLinkCase {
  std::string what;
  // Makes links in `folder`, which holds "real" and "in/deep/file". `outside`, another folder,
  // holds "secret" and "sub/file".
  std::function<void(const TestFolder& folder, const TestFolder& outside)> make;
  std::vector<std::string> paths;  // found in addition to those two files
  uint64_t left_out = 0;           // links that the packer reports
};

inline std::vector<FolderLinkCase> folder_link_cases() {
  namespace fs = std::filesystem;
  using Folder = TestFolder;
  return {
      {"to a file beside it",
       [](const Folder& folder, const Folder&) { fs::create_symlink("real", folder.path("link")); },
       {"link"}},
      {"to a file outside",
       [](const Folder& folder, const Folder& outside) {
         fs::create_symlink(outside.path("secret"), folder.path("in/link"));
       },
       {"in/link"}},
      {"to a folder outside",
       [](const Folder& folder, const Folder& outside) {
         fs::create_directory_symlink(outside.path(), folder.path("mods"));
       },
       {"mods/secret", "mods/sub/file"}},
      {"to a folder beside it",
       [](const Folder& folder, const Folder&) {
         fs::create_directory_symlink("in/deep", folder.path("again"));
       },
       {"again/file"}},
      {"to a link",
       [](const Folder& folder, const Folder& outside) {
         fs::create_symlink(outside.path("secret"), folder.path("first"));
         fs::create_symlink("first", folder.path("second"));
       },
       {"first", "second"}},
      {"to nothing",
       [](const Folder& folder, const Folder&) { fs::create_symlink("none", folder.path("link")); },
       {},
       1},
      {"to itself",
       [](const Folder& folder, const Folder&) { fs::create_symlink("link", folder.path("link")); },
       {},
       1},
      {"through a file",
       [](const Folder& folder, const Folder&) {
         fs::create_symlink("real/below", folder.path("link"));
       },
       {},
       1},
      {"to the folder that it lies in",
       [](const Folder& folder, const Folder&) {
         fs::create_directory_symlink(".", folder.path("in/deep/here"));
       },
       {},
       1},
      {"to the folder above all",
       [](const Folder& folder, const Folder&) {
         fs::create_directory_symlink(folder.path(), folder.path("in/deep/up"));
       },
       {},
       1},
      {"above the folder itself",
       [](const Folder& folder, const Folder& outside) {
         fs::create_directory_symlink(outside.path(), folder.path("mods"));
         fs::create_directory_symlink(folder.path(), outside.path("sub/back"));
       },
       {"mods/secret", "mods/sub/file"},
       1},
      {"back and forth between two folders",
       [](const Folder& folder, const Folder&) {
         folder.write("other/o", "o");
         fs::create_directory_symlink("../in", folder.path("other/to_in"));
         fs::create_directory_symlink("../other", folder.path("in/to_other"));
       },
       {"other/o", "other/to_in/deep/file", "in/to_other/o"},
       2},
      {"to a pipe",
       [](const Folder& folder, const Folder& outside) {
         outside.make_pipe("pipe");
         fs::create_symlink(outside.path("pipe"), folder.path("link"));
       },
       {}},
  };
}

// A case's folder, and the folder outside it.
struct FolderOfLinks {
  explicit FolderOfLinks(const FolderLinkCase& of) {
    folder.write("real", "r");
    folder.write("in/deep/file", "f");
    outside.write("secret", "s");
    outside.write("sub/file", "f");
    of.make(folder, outside);
  }
  TestFolder folder;
  TestFolder outside;
};

// Returns all paths that are found in a case.
inline std::vector<std::string> all_paths_of(const FolderLinkCase& of) {
  std::vector<std::string> paths = of.paths;
  paths.insert(paths.end(), {"real", "in/deep/file"});
  return paths;
}

}  // namespace seekless
