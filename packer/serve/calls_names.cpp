// Answers calls for names in a served folder: finding, making, renaming and removing files.
#include <array>
#include <climits>

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "packer/serve/internal/calls.h"

namespace seekless::serve {
namespace {

// Valid as long as the returned pointer is kept.
std::shared_ptr<Descriptor> folder_of(fuse_req_t request, fuse_ino_t parent) {
  return served_by(request).nodes.original_of(node_of(request, parent));
}

void on_lookup(fuse_req_t request, fuse_ino_t parent, const char* name) {
  Served& served = served_by(request);
  served.reader.looks_up(served.nodes.path_in(node_of(request, parent), name));
  auto entry = find_entry(request, parent, name);
  if (entry) {
    fuse_reply_entry(request, &*entry);
    return;
  }
  if (entry.error() != ENOENT) return reply_error(request, entry.error());
  fuse_entry_param missing = {};
  const bool may_be_kept = served.nodes.may_be_kept(node_of(request, parent));
  missing.entry_timeout = may_be_kept ? kMissingSeconds : 0;
  fuse_reply_entry(request, &missing);
}

void on_forget(fuse_req_t request, fuse_ino_t node, uint64_t lookups) {
  served_by(request).nodes.forget(node_of(request, node), lookups);
  fuse_reply_none(request);
}

void on_forget_many(fuse_req_t request, size_t count, fuse_forget_data* forgotten) {
  for (size_t i = 0; i < count; ++i)
    served_by(request).nodes.forget(node_of(request, forgotten[i].ino), forgotten[i].nlookup);
  fuse_reply_none(request);
}

// `make` gets the folder, and makes the name in it.
template <typename Make>
void make_and_reply(fuse_req_t request, fuse_ino_t parent, const char* name, Make&& make) {
  const auto folder = folder_of(request, parent);
  if (as_caller(request, [&] { return make(folder->get()); }) != 0)
    reply_error(request, errno);
  else
    reply_entry(request, parent, name);
}

void on_make_folder(fuse_req_t request, fuse_ino_t parent, const char* name, mode_t mode) {
  make_and_reply(request, parent, name, [=](int folder) { return ::mkdirat(folder, name, mode); });
}

void on_make_node(fuse_req_t request, fuse_ino_t parent, const char* name, mode_t mode,
                  dev_t device) {
  make_and_reply(request, parent, name,
                 [=](int folder) { return ::mknodat(folder, name, mode, device); });
}

void on_make_link(fuse_req_t request, const char* to, fuse_ino_t parent, const char* name) {
  make_and_reply(request, parent, name, [=](int folder) { return ::symlinkat(to, folder, name); });
}

void on_read_link(fuse_req_t request, fuse_ino_t node) {
  const auto reached = reach(place_of(request, node));
  if (!reached) return reply_error(request, reached.error());
  std::array<char, PATH_MAX + 1> text;
  const ssize_t length = ::readlinkat((*reached)->get(), "", text.data(), PATH_MAX);
  if (length < 0) return reply_error(request, errno);
  text[static_cast<size_t>(length)] = 0;
  fuse_reply_readlink(request, text.data());
}

void on_link(fuse_req_t request, fuse_ino_t node, fuse_ino_t parent, const char* name) {
  const auto reached = reach(place_of(request, node));
  if (!reached) return reply_error(request, reached.error());
  const std::string from = path_of_open((*reached)->get());
  make_and_reply(request, parent, name, [&](int folder) {
    return ::linkat(AT_FDCWD, from.c_str(), folder, name, AT_SYMLINK_FOLLOW);
  });
}

void prepare_removal(fuse_req_t request, fuse_ino_t parent, const char* name) {
  Served& served = served_by(request);
  const Node& folder = node_of(request, parent);
  served.nodes.keep_without_name(folder, name);
  served.reader.changes(served.nodes.path_in(folder, name));
}

void on_remove_file(fuse_req_t request, fuse_ino_t parent, const char* name) {
  prepare_removal(request, parent, name);
  const auto folder = folder_of(request, parent);
  reply_done(request, as_caller(request, [&] { return ::unlinkat(folder->get(), name, 0); }));
}

void on_remove_folder(fuse_req_t request, fuse_ino_t parent, const char* name) {
  prepare_removal(request, parent, name);
  const auto folder = folder_of(request, parent);
  reply_done(request,
             as_caller(request, [&] { return ::unlinkat(folder->get(), name, AT_REMOVEDIR); }));
}

void on_rename(fuse_req_t request, fuse_ino_t parent, const char* name, fuse_ino_t new_parent,
               const char* new_name, unsigned flags) {
  NodeTable& nodes = served_by(request).nodes;
  prepare_removal(request, parent, name);
  prepare_removal(request, new_parent, new_name);
  const auto from = folder_of(request, parent);
  const auto to = folder_of(request, new_parent);
  // glibc declares renameat2 only with GNU extensions.
  const long done = as_caller(request, [&] {
    return ::syscall(SYS_renameat2, from->get(), name, to->get(), new_name, flags);
  });
  if (done != 0) return reply_error(request, errno);
  constexpr unsigned kExchange = 2;  // RENAME_EXCHANGE
  nodes.rename(node_of(request, parent), name, node_of(request, new_parent), new_name);
  if ((flags & kExchange) != 0)
    nodes.rename(node_of(request, new_parent), new_name, node_of(request, parent), name);
  fuse_reply_err(request, 0);
}

void on_create(fuse_req_t request, fuse_ino_t parent, const char* name, mode_t mode,
               fuse_file_info* info) {
  const auto folder = folder_of(request, parent);
  const int flags = (info->flags & ~(O_DIRECT | O_APPEND)) | O_CREAT | O_EXCL | O_CLOEXEC;
  const auto open = [&] { return ::openat(folder->get(), name, flags, mode); };
  int opened = as_caller(request, open);
  while (opened < 0 && is_lack_of_descriptors(errno) && served_by(request).nodes.let_go_of_one())
    opened = as_caller(request, open);
  auto file = std::make_unique<OpenFile>(opened);
  if (file->file->get() < 0) {
    // Another program has created one meanwhile, perhaps a pipe or a link, so the kernel must look
    // it up again.
    const bool may_be_there = errno == EEXIST && (info->flags & O_EXCL) == 0;
    return reply_error(request, may_be_there ? ESTALE : errno);
  }
  const auto entry = find_entry(request, parent, name);
  if (!entry) return reply_error(request, entry.error());
  Served& served = served_by(request);
  const std::string path = served.nodes.path_in(node_of(request, parent), name);
  served.reader.changes(path);
  struct stat status = {};
  ::fstat(file->file->get(), &status);
  served.nodes.note_in_use(node_of(request, entry->ino), file->file);
  file->number =
      served.reader.open(path, stamp_of(status), static_cast<uint32_t>(fuse_req_ctx(request)->pid));
  info->fh = reinterpret_cast<uint64_t>(file.get());
  if (fuse_reply_create(request, &*entry, info) == 0) static_cast<void>(file.release());
}

}  // namespace

void show_owner(const Served& served, struct stat& status) {
  if (served.is_root) return;
  status.st_uid = served.user;
  status.st_gid = served.group;
}

OsResult<fuse_entry_param> find_entry(fuse_req_t request, fuse_ino_t parent, const char* name) {
  Served& served = served_by(request);
  Node& folder = node_of(request, parent);
  fuse_entry_param entry = {};
  const auto original = served.nodes.original_of(folder);
  if (::fstatat(original->get(), name, &entry.attr, AT_SYMLINK_NOFOLLOW) != 0)
    return std::unexpected(errno);
  const bool may_be_kept = served.nodes.may_be_kept(folder, name, &entry.attr);
  SKL_TRY(const auto node, served.nodes.look_up(folder, name, entry.attr));
  show_owner(served, entry.attr);
  entry.ino = node == &served.nodes.root() ? FUSE_ROOT_ID : reinterpret_cast<fuse_ino_t>(node);
  entry.attr_timeout = kKnownSeconds;
  entry.entry_timeout = may_be_kept ? kKnownSeconds : 0;
  return entry;
}

void reply_entry(fuse_req_t request, fuse_ino_t parent, const char* name) {
  const auto entry = find_entry(request, parent, name);
  if (entry)
    fuse_reply_entry(request, &*entry);
  else
    reply_error(request, entry.error());
}

void add_name_calls(fuse_lowlevel_ops& calls) {
  calls.lookup = guarded<on_lookup>;
  calls.forget = guarded<on_forget>;
  calls.forget_multi = guarded<on_forget_many>;
  calls.mkdir = guarded<on_make_folder>;
  calls.mknod = guarded<on_make_node>;
  calls.symlink = guarded<on_make_link>;
  calls.readlink = guarded<on_read_link>;
  calls.link = guarded<on_link>;
  calls.unlink = guarded<on_remove_file>;
  calls.rmdir = guarded<on_remove_folder>;
  calls.rename = guarded<on_rename>;
  calls.create = guarded<on_create>;
}

}  // namespace seekless::serve
