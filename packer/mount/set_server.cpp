#include "packer/mount/set_server.h"

#include <algorithm>
#include <optional>

#include <sys/stat.h>
#include <unistd.h>

#include "packer/host/files.h"
#include "packer/host/os_error.h"
#include "packer/mount/internal/dead_mount.h"
#include "packer/mount/internal/reader_error.h"
#include "packer/mount/internal/set_calls.h"
#include "packer/pack/whole_set.h"
#include "packer/serve/fuse_session.h"

namespace seekless {
namespace {

struct EndContext {
  void operator()(skl_context* context) const { skl_context_destroy(context); }
};
using ContextPointer = std::unique_ptr<skl_context, EndContext>;

Result<ContextPointer> mount_in_reader(const std::string& set) {
  skl_error error = {.struct_bytes = sizeof(skl_error)};
  skl_context* context = nullptr;
  if (skl_context_create(nullptr, &context, &error) != SKL_OK) return from_reader(error);
  ContextPointer owned(context);
  if (skl_mount(context, set.c_str(), nullptr, nullptr, &error) != SKL_OK)
    return from_reader(error);
  return owned;
}

std::vector<std::string> scenarios_of(const runtime::PackSet& set) {
  std::vector<std::string> names;
  if (set.catalog() != nullptr)
    for (const format::Scenario& scenario : set.catalog()->scenarios())
      names.emplace_back(set.catalog()->name(scenario));
  return names;
}

uint64_t bytes_of_packs(const runtime::PackSet& set) {
  uint64_t bytes = 0;
  for (uint32_t i = 0; i < set.pack_count(); ++i)
    if (const auto pack = set.pack(i)) bytes += (*pack)->header().file_bytes;
  return bytes;
}

// Adds "ro", even against the user's options, and the name that /proc/mounts shows.
std::vector<std::string> words_for(const SetMount& mount) {
  std::vector<std::string> words;
  for (const std::string& option : mount.options) words.insert(words.end(), {"-o", option});
  words.insert(words.end(), {"-o", "ro,subtype=seekless"});
  // A comma would end the name, so it is replaced.
  std::string name = mount.set;
  std::ranges::replace(name, ',', '_');
  words.insert(words.end(), {"-o", "fsname=" + name});
  return words;
}

class RunningSet final : public SetServer {
 public:
  explicit RunningSet(SetMount mount) : mount_(std::move(mount)) {}

  Result<void> open() {
    io_ = runtime::make_system_file_io();
    SKL_TRY(auto set, open_whole_set(*io_, mount_.set));
    set_ = std::move(set);
    SKL_TRY(auto context, mount_in_reader(mount_.set));
    context_ = std::move(context);
    SKL_TRY(auto tree, SetTree::open(context_.get(), scenarios_of(*set_)));
    tree_ = std::move(tree);
    mounted_ = {.files = tree_->asset_count(),
                .bytes = tree_->asset_bytes(),
                .scenarios = tree_->scenarios().size(),
                .left_out = tree_->left_out(),
                .scenarios_left_out = tree_->scenarios_left_out()};
    return {};
  }

  Result<void> mount() {
    sweeps_.emplace(context_.get(), *tree_, mount_.sweeps, mount_.warn);
    struct stat status = {};
    ::stat(mount_.set.c_str(), &status);
    served_.emplace(mount::ServedSet{.context = context_.get(),
                                     .tree = *tree_,
                                     .sweeps = *sweeps_,
                                     .set = *set_,
                                     .warn = mount_.warn,
                                     .user = ::geteuid(),
                                     .group = ::getegid(),
                                     .written = status.st_mtim,
                                     .pack_bytes = bytes_of_packs(*set_)});
    session_.emplace(mount::set_calls(), &*served_, words_for(mount_));
    return session_->mount(mount_.folder);
  }

  const MountedSet& mounted() const override { return mounted_; }

  Result<void> serve() override {
    session_->be_ended_by_signals();
    const int ended = session_->take_calls();
    // A value above 0 is the signal that ended the session.
    if (ended < 0) return failed_call(mount_.folder, "take calls from FUSE", -ended);
    return {};
  }

 private:
  SetMount mount_;
  MountedSet mounted_;
  std::unique_ptr<runtime::FileIo> io_;
  std::unique_ptr<runtime::PackSet> set_;
  ContextPointer context_;
  std::unique_ptr<SetTree> tree_;
  std::optional<SetSweeps> sweeps_;
  std::optional<mount::ServedSet> served_;
  std::optional<serve::FuseSession> session_;
};

}  // namespace

Result<std::unique_ptr<SetServer>> SetServer::mount(SetMount mount) {
  SKL_TRY_DO(clear_dead_mounts(mount.folder));
  if (kind_of_path(mount.folder) != PathKind::folder)
    return failed(
        {.file = mount.folder,
         .expected = "a folder to show the pack set in",
         .found = kind_of_path(mount.folder) == PathKind::missing ? "nothing" : "no folder",
         .advice = "make one with mkdir"});
  auto running = std::make_unique<RunningSet>(std::move(mount));
  SKL_TRY_DO(running->open());
  SKL_TRY_DO(running->mount());
  return running;
}

}  // namespace seekless
