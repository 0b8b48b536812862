// What the calls of the kernel to a served folder share. Each file calls_*.cpp has those of one
// kind, and puts them into the table of libfuse's low level.
#pragma once

#include <memory>
#include <string>

#include <sys/stat.h>

#include "packer/serve/fuse_session.h"
#include "packer/serve/guarded_call.h"
#include "packer/serve/internal/as_caller.h"
#include "packer/serve/internal/file_reader.h"
#include "packer/serve/internal/node_table.h"
#include "packer/serve/internal/refused_programs.h"

namespace seekless::serve {

// Names and attributes are asked for again after so many seconds, so that what others do to the
// folder shows. What is done through the mount shows at once: the kernel sees it itself, but where
// the case of names doesn't matter. There no name is kept.
inline constexpr double kKnownSeconds = 600;
// A name that isn't there may be made by another program that isn't in the mount.
inline constexpr double kMissingSeconds = 1;

struct Served {
  Served(std::shared_ptr<Descriptor> folder, FileReader& by)
      : nodes(std::move(folder)), reader(by) {}

  NodeTable nodes;
  FileReader& reader;
  FuseSession* session = nullptr;
  RefusedPrograms refused;
  bool is_root = false;  // of the machine: others than who mounted it may use it
  uint32_t user = 0;     // whose mount it is
  uint32_t group = 0;
};

// A regular file that the game has open.
struct OpenFile {
  explicit OpenFile(int opened) : file(opened) {}

  Descriptor file;
  uint32_t number = 0;        // for reads
  bool only_appends = false;  // as its original allows nothing else
};

inline Served& served_by(fuse_req_t request) {
  return *static_cast<Served*>(fuse_req_userdata(request));
}

inline Node& node_of(fuse_req_t request, fuse_ino_t number) {
  if (number == FUSE_ROOT_ID) return served_by(request).nodes.root();
  return *reinterpret_cast<Node*>(number);
}

inline NodePlace place_of(fuse_req_t request, fuse_ino_t number) {
  return served_by(request).nodes.place_of(node_of(request, number));
}

inline OpenFile* open_file(const fuse_file_info* info) {
  return info == nullptr ? nullptr : reinterpret_cast<OpenFile*>(info->fh);
}

// For functions that give nothing to return by.
inline void reply_error(fuse_req_t request, int error) {
  fuse_reply_err(request, error);
}
// 0, or what went wrong.
inline void reply_done(fuse_req_t request, int done) {
  fuse_reply_err(request, done == 0 ? 0 : errno);
}

// In a user name space only the player's own user and group mean anything: files of others are
// shown as the player's, since the kernel lets nobody write files of owners that it doesn't know.
// What the player may do with them is decided where it is done, by the original.
void show_owner(const Served& served, struct stat& status);

// What a name leads to, as a reply that counts as one lookup.
OsResult<fuse_entry_param> find_entry(fuse_req_t request, fuse_ino_t parent, const char* name);
void reply_entry(fuse_req_t request, fuse_ino_t parent, const char* name);

void add_name_calls(fuse_lowlevel_ops& calls);
void add_folder_calls(fuse_lowlevel_ops& calls);
void add_file_calls(fuse_lowlevel_ops& calls);
void add_attribute_calls(fuse_lowlevel_ops& calls);

}  // namespace seekless::serve
