#include "packer/foresee/name_order.h"

#include <gmock/gmock.h>

namespace seekless {
namespace {

using testing::ElementsAre;

// Notes what is asked for, in order.
class NotedNames final : public NamesOnDisk {
 public:
  std::unordered_map<std::string, uint64_t> list(const std::string& folder) override {
    asked.push_back("list " + folder);
    if (folder == "g") return {{"a", 3000}, {"b", 2000}, {"x", 1}};
    if (folder == "g/a") return {{"2", 1}, {"1", 2}};
    return {};
  }
  void look_up(const std::string& path, bool is_folder) override {
    asked.push_back(path + (is_folder ? "/" : ""));
  }
  bool is_over() override { return asked.size() >= most; }

  std::vector<std::string> asked;
  size_t most = 100;
};

const std::vector<LearnedName> kWanted = {{"a/1"}, {"a/2"},     {"b/3"},
                                          {"x"},   {"a/", 700}, {"b/", 900}};

TEST(NameOrder, inodes_come_by_number_and_lists_by_place_level_by_level) {
  NotedNames disk;
  look_up_in_order("g", kWanted, disk);
  EXPECT_THAT(disk.asked, ElementsAre("g/", "list g", "g/x", "g/b/", "g/a/", "list g/a", "list g/b",
                                      "g/b/3", "g/a/2", "g/a/1"));
}

TEST(NameOrder, ends_once_it_is_over) {
  NotedNames disk;
  disk.most = 3;
  look_up_in_order("g", kWanted, disk);
  EXPECT_EQ(disk.asked.size(), 3u);
}

}  // namespace
}  // namespace seekless
