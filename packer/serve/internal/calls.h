// Shares code between the FUSE calls of a served folder. Each calls_*.cpp has the calls of one
// kind, and puts them into the table of libfuse's low level.
#pragma once

#include <cerrno>
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

// The kernel asks again for names and attributes after this many seconds, so that changes by others
// to the folder show. Changes through the mount show at once, because the kernel sees them itself.
// The exception is folders that ignore the case of names: the kernel keeps no names of those.
inline constexpr double kKnownSeconds = 600;
// This is for names that don't exist: a program outside the mount may create one.
inline constexpr double kMissingSeconds = 1;

struct Served {
  Served(std::shared_ptr<Descriptor> folder, FileReader& by, size_t most_folders_held)
      : nodes(std::move(folder), most_folders_held), reader(by) {}

  NodeTable nodes;
  FileReader& reader;
  FuseSession* session = nullptr;
  RefusedPrograms refused;
  bool is_root = false;  // root of the machine: other users than the one who mounted may use it
  uint32_t user = 0;     // user who made the mount
  uint32_t group = 0;
};

// A regular file that the game has open.
struct OpenFile {
  explicit OpenFile(int opened) : file(std::make_shared<Descriptor>(opened)) {}

  std::shared_ptr<Descriptor> file;
  uint32_t number = 0;        // number of the file in reads
  bool only_appends = false;  // the original can be opened only for appending
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

// Returns true if the server has too many files open. Then it closes folders that it only holds
// open to save time, since the game's files matter more.
inline bool is_lack_of_descriptors(int error) {
  return error == EMFILE || error == ENFILE;
}

inline OpenFile* open_file(const fuse_file_info* info) {
  return info == nullptr ? nullptr : reinterpret_cast<OpenFile*>(info->fh);
}

// Replies with an error. A folder that another program has moved has no descriptor (EBADF); at
// ESTALE the kernel looks its path up again.
inline void reply_error(fuse_req_t request, int error) {
  fuse_reply_err(request, error == EBADF ? ESTALE : error);
}
// Replies 0, or errno if `done` says that the call failed.
inline void reply_done(fuse_req_t request, int done) {
  reply_error(request, done == 0 ? 0 : errno);
}

// In a user name space, only the player's own user and group exist. Other users' files are shown as
// the player's, because the kernel lets nobody write files of owners that it doesn't know. The
// rights of the original decide what the player may really do with a file.
void show_owner(const Served& served, struct stat& status);

// Finds what a name leads to; the reply counts as one lookup.
OsResult<fuse_entry_param> find_entry(fuse_req_t request, fuse_ino_t parent, const char* name);
void reply_entry(fuse_req_t request, fuse_ino_t parent, const char* name);

void add_name_calls(fuse_lowlevel_ops& calls);
void add_folder_calls(fuse_lowlevel_ops& calls);
void add_file_calls(fuse_lowlevel_ops& calls);
void add_attribute_calls(fuse_lowlevel_ops& calls);

}  // namespace seekless::serve
