#include "packer/serve/internal/name_sweep.h"

#include <unordered_map>

#include "packer/foresee/name_order.h"
#include "packer/serve/internal/folder_inodes.h"

namespace seekless {
namespace {

// At most this many entries of a folder are read; the others of a larger one keep no order.
constexpr size_t kMostEntries = 20'000;

class NamesOfSystem final : public NamesOnDisk {
 public:
  explicit NamesOfSystem(const std::function<bool()>& is_over) : is_over_(is_over) {}

  std::unordered_map<std::string, uint64_t> list(const std::string& folder) override {
    return inodes_in(folder, kMostEntries);
  }

  void look_up(const std::string& path, bool /*is_folder*/) override { read_inode(path); }

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
