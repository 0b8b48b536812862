#include "packer/mount/internal/set_calls.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <vector>

#include <sys/stat.h>
#include <sys/statvfs.h>

#include "packer/serve/fuse_session.h"

namespace seekless::mount {
namespace {

// A mounted set doesn't change, so the kernel may keep all answers.
constexpr double kForEverSeconds = 1e6;
constexpr uint64_t kSectorBytes = 512;
constexpr uint64_t kPageBytes = 4096;
// A file up to this size is always read whole, because the reader then checks it.
constexpr uint64_t kReadWholeBytes = uint64_t{128} << 10;
constexpr mode_t kFolderMode = S_IFDIR | 0555;
constexpr mode_t kFileMode = S_IFREG | 0444;

const ServedSet& served_by(fuse_req_t request) {
  return *static_cast<const ServedSet*>(fuse_req_userdata(request));
}

uint32_t number_of(fuse_ino_t inode) {
  return static_cast<uint32_t>(inode - 1);
}

fuse_ino_t inode_of(uint32_t number) {
  return fuse_ino_t{number} + 1;
}

uint64_t size_of(const ServedSet& served, const SetNode& node) {
  if (node.is_folder) return 0;
  if (node.scenario != kNoNumber) return served.tree.order_text(node.scenario).size();
  return node.size_bytes;
}

struct stat status_of(const ServedSet& served, uint32_t number) {
  const SetNode& node = served.tree.node(number);
  struct stat status = {};
  status.st_ino = inode_of(number);
  status.st_mode = node.is_folder ? kFolderMode : kFileMode;
  status.st_nlink = 1;  // subfolders aren't counted
  status.st_uid = served.user;
  status.st_gid = served.group;
  const uint64_t size = size_of(served, node);
  status.st_size = static_cast<off_t>(size);
  status.st_blocks = static_cast<blkcnt_t>((size + kSectorBytes - 1) / kSectorBytes);
  status.st_blksize = kPageBytes;
  status.st_atim = status.st_mtim = status.st_ctim = served.written;
  return status;
}

fuse_entry_param entry_of(const ServedSet& served, uint32_t number) {
  return {.ino = inode_of(number),
          .generation = 0,
          .attr = status_of(served, number),
          .attr_timeout = kForEverSeconds,
          .entry_timeout = kForEverSeconds};
}

void on_start(void*, fuse_conn_info* connection) {
  serve::allow_many_calls(*connection);
}

void on_lookup(fuse_req_t request, fuse_ino_t parent, const char* name) {
  const ServedSet& served = served_by(request);
  const auto found = served.tree.find(number_of(parent), name);
  fuse_entry_param entry = {};
  entry.entry_timeout = kForEverSeconds;  // the kernel may also cache that a name is missing
  if (found) entry = entry_of(served, *found);
  fuse_reply_entry(request, &entry);
}

void on_get(fuse_req_t request, fuse_ino_t inode, fuse_file_info*) {
  const struct stat status = status_of(served_by(request), number_of(inode));
  fuse_reply_attr(request, &status, kForEverSeconds);
}

// After this answer the kernel opens and closes files without asking, and keeps their pages cached.
void on_open(fuse_req_t request, fuse_ino_t, fuse_file_info*) {
  fuse_reply_err(request, ENOSYS);
}

void on_open_folder(fuse_req_t request, fuse_ino_t inode, fuse_file_info* info) {
  const ServedSet& served = served_by(request);
  const SetNode& node = served.tree.node(number_of(inode));
  if (node.scenario != kNoNumber) served.sweeps.start(node.scenario);
  info->cache_readdir = 1;
  info->keep_cache = 1;
  fuse_reply_open(request, info);
}

struct SetListing {
  const char* name;
  uint32_t number;
};

// Returns the entry at a position of the folder's list: the folder itself, its parent, then its
// children.
SetListing listed_at(const SetTree& tree, uint32_t folder, uint64_t place, std::string& name) {
  if (place == 0) return {".", folder};
  if (place == 1) return {"..", tree.node(folder).parent};
  const SetNode& child = tree.children(folder)[place - 2];
  name = child.name;
  return {name.c_str(), tree.number_of(child)};
}

void read_folder(fuse_req_t request, fuse_ino_t inode, size_t size, off_t offset, bool plus) {
  const ServedSet& served = served_by(request);
  const uint32_t folder = number_of(inode);
  const uint64_t count = served.tree.children(folder).size() + 2;
  std::vector<char> answer(size);
  size_t used = 0;
  std::string name;
  for (auto at = static_cast<uint64_t>(offset); at < count; ++at) {
    const SetListing listed = listed_at(served.tree, folder, at, name);
    const auto room = std::span(answer).subspan(used);
    const auto next = static_cast<off_t>(at + 1);
    const fuse_entry_param entry = entry_of(served, listed.number);
    const size_t needed =
        plus ? fuse_add_direntry_plus(request, room.data(), room.size(), listed.name, &entry, next)
             : fuse_add_direntry(request, room.data(), room.size(), listed.name, &entry.attr, next);
    if (needed > room.size()) break;
    used += needed;
  }
  fuse_reply_buf(request, answer.data(), used);
}

void on_read_folder(fuse_req_t request, fuse_ino_t inode, size_t size, off_t offset,
                    fuse_file_info*) {
  read_folder(request, inode, size, offset, false);
}

void on_read_folder_plus(fuse_req_t request, fuse_ino_t inode, size_t size, off_t offset,
                         fuse_file_info*) {
  read_folder(request, inode, size, offset, true);
}

void reply_order(fuse_req_t request, const ServedSet& served, uint32_t scenario, size_t size,
                 uint64_t offset) {
  served.sweeps.start(scenario);
  const std::string& text = served.tree.order_text(scenario);
  const size_t from = std::min<size_t>(offset, text.size());
  fuse_reply_buf(request, text.data() + from, std::min(size, text.size() - from));
}

void on_read(fuse_req_t request, fuse_ino_t inode, size_t size, off_t from, fuse_file_info*) {
  thread_local std::vector<char> buffer;
  const ServedSet& served = served_by(request);
  const uint32_t number = number_of(inode);
  const SetNode& node = served.tree.node(number);
  const auto offset = static_cast<uint64_t>(from);
  if (node.scenario != kNoNumber) {
    reply_order(request, served, node.scenario, size, offset);
    return;
  }
  if (offset >= node.size_bytes) {
    fuse_reply_buf(request, nullptr, 0);
    return;
  }
  if (offset == 0) served.sweeps.note_read(number);
  const uint64_t end = offset + std::min<uint64_t>(size, node.size_bytes - offset);
  served.sweeps.wait_for(number, end);
  const bool is_whole = node.size_bytes <= kReadWholeBytes;
  const uint64_t begin = is_whole ? 0 : offset;
  const uint64_t length = is_whole ? node.size_bytes : end - offset;
  if (length > buffer.size()) buffer.resize(length);
  skl_error error = {.struct_bytes = sizeof(skl_error)};
  const skl_result answer =
      skl_read(served.context, node.asset, begin, buffer.data(), length, nullptr, &error);
  if (answer == SKL_OK) {
    fuse_reply_buf(request, buffer.data() + (offset - begin), end - offset);
    return;
  }
  served.warn(error.message);
  fuse_reply_err(request, answer == SKL_OUT_OF_MEMORY ? ENOMEM : EIO);
}

// Reports that the packs' space is all in use.
void on_space(fuse_req_t request, fuse_ino_t) {
  const ServedSet& served = served_by(request);
  struct statvfs space = {};
  space.f_bsize = space.f_frsize = kPageBytes;
  space.f_blocks = (served.pack_bytes + kPageBytes - 1) / kPageBytes;
  space.f_files = served.tree.node_count();
  space.f_namemax = 255;
  fuse_reply_statfs(request, &space);
}

// A length of 0 asks for the attribute's size.
void reply_attribute(fuse_req_t request, const std::string& value, size_t size) {
  if (size == 0)
    fuse_reply_xattr(request, value.size());
  else if (size < value.size())
    fuse_reply_err(request, ERANGE);
  else
    fuse_reply_buf(request, value.data(), value.size());
}

void on_get_extended(fuse_req_t request, fuse_ino_t inode, const char* name, size_t size) {
  const ServedSet& served = served_by(request);
  const std::string value = attribute_of(served, served.tree.node(number_of(inode)), name);
  if (value.empty())
    fuse_reply_err(request, ENODATA);
  else
    reply_attribute(request, value, size);
}

void on_list_extended(fuse_req_t request, fuse_ino_t inode, size_t size) {
  const ServedSet& served = served_by(request);
  std::string names;
  for (const char* name : kAttributes)
    if (!attribute_of(served, served.tree.node(number_of(inode)), name).empty())
      names.append(name, std::strlen(name) + 1);
  reply_attribute(request, names, size);
}

}  // namespace

fuse_lowlevel_ops set_calls() {
  fuse_lowlevel_ops calls = {};
  calls.init = on_start;
  calls.lookup = serve::guarded<on_lookup>;
  calls.getattr = serve::guarded<on_get>;
  calls.open = serve::guarded<on_open>;
  calls.read = serve::guarded<on_read>;
  calls.opendir = serve::guarded<on_open_folder>;
  calls.readdir = serve::guarded<on_read_folder>;
  calls.readdirplus = serve::guarded<on_read_folder_plus>;
  calls.statfs = serve::guarded<on_space>;
  calls.getxattr = serve::guarded<on_get_extended>;
  calls.listxattr = serve::guarded<on_list_extended>;
  return calls;
}

}  // namespace seekless::mount
