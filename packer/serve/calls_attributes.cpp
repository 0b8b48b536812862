// Answers calls for a served file's attributes: size, times, rights, owners, extended attributes.
#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include <fcntl.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "packer/serve/internal/calls.h"

namespace seekless::serve {
namespace {

// Returns true if another program may have moved, replaced or removed the file.
bool may_be_elsewhere(int error) {
  return error == ENOENT || error == ESTALE;
}

OsResult<struct stat> status_of_open(int file) {
  struct stat status = {};
  if (::fstat(file, &status) != 0) return std::unexpected(errno);
  return status;
}

// `file` may be null: the kernel doesn't always say which open file a call uses.
void reply_status(fuse_req_t request, Node& node, const NodePlace& place, const OpenFile* file) {
  Served& served = served_by(request);
  auto status = file != nullptr ? status_of_open(file->file->get()) : status_of(place);
  if (!status && may_be_elsewhere(status.error()))
    if (const auto in_use = served.nodes.in_use(node)) status = status_of_open(in_use->get());
  if (!status) return reply_error(request, status.error());
  served.nodes.note_told(node, stamp_of(*status));
  show_owner(served, *status);
  fuse_reply_attr(request, &*status, kKnownSeconds);
}

const OpenFile* file_of(fuse_req_t request, fuse_ino_t number, const fuse_file_info* info) {
  return node_of(request, number).type == S_IFREG ? open_file(info) : nullptr;
}

void on_get(fuse_req_t request, fuse_ino_t number, fuse_file_info* info) {
  reply_status(request, node_of(request, number), place_of(request, number),
               file_of(request, number, info));
}

// Truncates or extends a file. If it is open for writing, its current rights don't matter.
int set_size(const std::string& path, const OpenFile* file, off_t size) {
  return file != nullptr ? ::ftruncate(file->file->get(), size) : ::truncate(path.c_str(), size);
}

// Returns the times in the form that utimensat takes.
std::array<timespec, 2> times_to_set(const struct stat& wanted, int to_set) {
  std::array<timespec, 2> times = {timespec{0, UTIME_OMIT}, timespec{0, UTIME_OMIT}};
  if ((to_set & FUSE_SET_ATTR_ATIME_NOW) != 0)
    times[0].tv_nsec = UTIME_NOW;
  else if ((to_set & FUSE_SET_ATTR_ATIME) != 0)
    times[0] = wanted.st_atim;
  if ((to_set & FUSE_SET_ATTR_MTIME_NOW) != 0)
    times[1].tv_nsec = UTIME_NOW;
  else if ((to_set & FUSE_SET_ATTR_MTIME) != 0)
    times[1] = wanted.st_mtim;
  return times;
}

int set_owner(int file, const struct stat& wanted, int to_set) {
  const uid_t user = (to_set & FUSE_SET_ATTR_UID) != 0 ? wanted.st_uid : static_cast<uid_t>(-1);
  const gid_t group = (to_set & FUSE_SET_ATTR_GID) != 0 ? wanted.st_gid : static_cast<gid_t>(-1);
  return ::fchownat(file, "", user, group, AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW);
}

// Returns true if a write to the file would change the mode in this way. Before any write, the
// kernel asks to clear the set-user and set-group bits. The writer may not be allowed to set the
// mode, but its write clears the bits in the original anyway.
bool is_taken_off_by_write(int file, mode_t wanted) {
  constexpr mode_t kAll = 07777;
  struct stat status = {};
  if (::fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) return false;
  const mode_t taken = S_ISUID | ((status.st_mode & S_IXGRP) != 0 ? mode_t{S_ISGID} : 0);
  return (status.st_mode & taken) != 0 && (status.st_mode & kAll & ~taken) == (wanted & kAll) &&
         ::faccessat(file, "", W_OK, AT_EMPTY_PATH | AT_EACCESS) == 0;
}

int set_mode(int file, const std::string& path, mode_t wanted) {
  if (::chmod(path.c_str(), wanted) == 0) return 0;
  const int error = errno;
  if (error == EPERM && is_taken_off_by_write(file, wanted)) return 0;
  errno = error;
  return -1;
}

int set_all(fuse_req_t request, const Node& node, int file, const OpenFile* opened,
            const struct stat& wanted, int to_set) {
  const std::string path = path_of_open(file);
  constexpr int kTimes =
      FUSE_SET_ATTR_ATIME | FUSE_SET_ATTR_ATIME_NOW | FUSE_SET_ATTR_MTIME | FUSE_SET_ATTR_MTIME_NOW;
  // If the owner or the size changes too, the mode comes from the kernel, which clears these bits;
  // the original's file system does that itself.
  constexpr int kTakesOff = FUSE_SET_ATTR_UID | FUSE_SET_ATTR_GID | FUSE_SET_ATTR_SIZE;
  if ((to_set & FUSE_SET_ATTR_MODE) != 0 && (to_set & kTakesOff) == 0 &&
      set_mode(file, path, wanted.st_mode) != 0)
    return -1;
  if ((to_set & (FUSE_SET_ATTR_UID | FUSE_SET_ATTR_GID)) != 0 &&
      set_owner(file, wanted, to_set) != 0)
    return -1;
  if ((to_set & FUSE_SET_ATTR_SIZE) != 0) {
    Served& served = served_by(request);
    served.reader.changes(served.nodes.path_of(node));
    if (set_size(path, opened, wanted.st_size) != 0) return -1;
  }
  if ((to_set & kTimes) == 0) return 0;
  // A symbolic link has only an owner and times to set, and its times need another call.
  const auto times = times_to_set(wanted, to_set);
  return node.type == S_IFLNK ? ::utimensat(file, "", times.data(), AT_EMPTY_PATH)
                              : ::utimensat(AT_FDCWD, path.c_str(), times.data(), 0);
}

void on_set(fuse_req_t request, fuse_ino_t number, struct stat* wanted, int to_set,
            fuse_file_info* info) {
  Node& node = node_of(request, number);
  const NodePlace place = place_of(request, number);
  const OpenFile* opened = file_of(request, number, info);
  using Reached = OsResult<std::shared_ptr<Descriptor>>;
  const Reached reached = opened != nullptr ? Reached(opened->file) : reach(place);
  if (!reached) return reply_error(request, reached.error());
  const int set = as_caller(
      request, [&] { return set_all(request, node, (*reached)->get(), opened, *wanted, to_set); });
  if (set != 0) return reply_error(request, errno);
  reply_status(request, node, {*reached, "", place.key, place.type}, nullptr);
}

void on_access(fuse_req_t request, fuse_ino_t number, int mask) {
  const auto reached = reach(place_of(request, number));
  if (!reached) return reply_error(request, reached.error());
  reply_done(request, ::faccessat((*reached)->get(), "", mask, AT_EMPTY_PATH | AT_EACCESS));
}

void on_space(fuse_req_t request, fuse_ino_t number) {
  struct statvfs space = {};
  const NodePlace place = place_of(request, number);
  if (::fstatvfs(place.folder->get(), &space) != 0)
    fuse_reply_err(request, errno);
  else
    fuse_reply_statfs(request, &space);
}

// A length of 0 asks for the attribute's size.
void reply_attribute(fuse_req_t request, ssize_t found, const std::vector<char>& value) {
  if (found < 0)
    fuse_reply_err(request, errno);
  else if (value.empty())
    fuse_reply_xattr(request, static_cast<size_t>(found));
  else
    fuse_reply_buf(request, value.data(), static_cast<size_t>(found));
}

// Returns true if the attribute is left to the original's file system. Before each write, the
// kernel asks to remove it. The original's file system removes it anyway, with rights that only
// root has. No program in a served folder gets more rights than the player has.
bool is_for_the_original(fuse_req_t request, std::string_view name) {
  return name == "security.capability" && fuse_req_ctx(request)->uid != 0;
}

// Returns true if the file system has no access control lists. If that were reported as an error,
// the kernel would let nobody in.
bool is_missing_list(int error, std::string_view name) {
  return error == EOPNOTSUPP && name.starts_with("system.posix_acl_");
}

void on_get_extended(fuse_req_t request, fuse_ino_t number, const char* name, size_t size) {
  if (is_for_the_original(request, name)) return reply_error(request, ENODATA);
  std::vector<char> value(size);
  const std::string path = place_of(request, number).path();
  const bool is_link = node_of(request, number).type == S_IFLNK;
  const auto get = is_link ? ::lgetxattr : ::getxattr;
  const ssize_t found = get(path.c_str(), name, value.data(), size);
  if (found < 0 && is_missing_list(errno, name)) errno = ENODATA;
  reply_attribute(request, found, value);
}

void on_list_extended(fuse_req_t request, fuse_ino_t number, size_t size) {
  std::vector<char> value(size);
  const std::string path = place_of(request, number).path();
  const bool is_link = node_of(request, number).type == S_IFLNK;
  const auto list = is_link ? ::llistxattr : ::listxattr;
  reply_attribute(request, list(path.c_str(), value.data(), size), value);
}

void on_set_extended(fuse_req_t request, fuse_ino_t number, const char* name, const char* value,
                     size_t size, int flags) {
  const std::string path = place_of(request, number).path();
  const bool is_link = node_of(request, number).type == S_IFLNK;
  const auto set = is_link ? ::lsetxattr : ::setxattr;
  reply_done(request,
             as_caller(request, [&] { return set(path.c_str(), name, value, size, flags); }));
}

void on_remove_extended(fuse_req_t request, fuse_ino_t number, const char* name) {
  const std::string path = place_of(request, number).path();
  const bool is_link = node_of(request, number).type == S_IFLNK;
  const auto remove = is_link ? ::lremovexattr : ::removexattr;
  reply_done(request, as_caller(request, [&] { return remove(path.c_str(), name); }));
}

}  // namespace

void add_attribute_calls(fuse_lowlevel_ops& calls) {
  calls.getattr = guarded<on_get>;
  calls.setattr = guarded<on_set>;
  calls.access = guarded<on_access>;
  calls.statfs = guarded<on_space>;
  calls.getxattr = guarded<on_get_extended>;
  calls.listxattr = guarded<on_list_extended>;
  calls.setxattr = guarded<on_set_extended>;
  calls.removexattr = guarded<on_remove_extended>;
}

}  // namespace seekless::serve
