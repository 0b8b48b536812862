#include "packer/serve/internal/name_sweep.h"

#include <memory>
#include <unordered_map>

#include <dirent.h>
#include <sys/stat.h>

#include "packer/foresee/name_order.h"
#include "packer/host/close_folder.h"

namespace seekless {
namespace {

// At most this many entries of a folder are read; the others of a larger one keep no order.
constexpr size_t kMostEntries = 20'000;

class NamesOfSystem final : public NamesOnDisk {
 public:
  explicit NamesOfSystem(const std::function<bool()>& is_over) : is_over_(is_over) {}

  std::unordered_map<std::string, uint64_t> list(const std::string& folder) override {
    std::unordered_map<std::string, uint64_t> inodes;
    const std::unique_ptr<DIR, CloseFolder> list(::opendir(folder.c_str()));
    while (list && inodes.size() < kMostEntries) {
      const dirent* entry = ::readdir(list.get());
      if (entry == nullptr) break;
      inodes[entry->d_name] = entry->d_ino;
    }
    return inodes;
  }

  void look_up(const std::string& path, bool /*is_folder*/) override {
    struct stat ignored = {};
    static_cast<void>(::stat(path.c_str(), &ignored));
  }

  bool is_over() override { return is_over_(); }

 private:
  const std::function<bool()>& is_over_;
};

}  // namespace

void fetch_names(const std::string& folder, const std::vector<LearnedName>& names,
                 const std::function<bool()>& is_over) {
  NamesOfSystem system(is_over);
  look_up_in_order(folder, names, system);
}

}  // namespace seekless
