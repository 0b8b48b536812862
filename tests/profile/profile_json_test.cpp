#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "packer/host/files.h"
#include "packer/profile/profile.h"
#include "tests/content/test_folder.h"

namespace seekless {
namespace {

using testing::HasSubstr;

Profile rich_profile() {
  return {{"a", "b/\xC3\xA4", "c"},
          {{"menu", {{"one.lz4", {1, 0}}, {"two.lz4", {2}, 0, 0, {1, 0}}}},
           {"level", {{"one.lz4", {}, 0, 0, {0, 1}}}}}};
}

class ProfileJson : public testing::Test {
 protected:
  Result<Profile> read(const std::string& text) const {
    return read_profile(folder_.write("profile.json", text));
  }
  std::string rich_text() const {
    EXPECT_TRUE(write_profile(rich_profile(), folder_.path("profile.json")));
    return read_text(folder_.path("profile.json"), 1 << 20).value_or("");
  }
  TestFolder folder_;
};

TEST_F(ProfileJson, comes_back_as_it_was_written) {
  const auto again = read(rich_text());
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(*again, rich_profile());
}

TEST_F(ProfileJson, without_numbers_recordings_are_told_apart_by_name) {
  const auto profile =
      read(R"({"seekless":"profile","version":1,"assets":["a"],"scenarios":[{"name":"x","runs":[)"
           R"({"trace":"t","assets":[0]},{"trace":"u","assets":[0]}]},{"name":"y","runs":[)"
           R"({"trace":"u","assets":[0]}]}]})");
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_EQ(profile->scenarios[0].runs[0].id, (RunId{0, 0}));
  EXPECT_EQ(profile->scenarios[0].runs[1].id, (RunId{1, 0}));
  EXPECT_EQ(profile->scenarios[1].runs[0].id, (RunId{1, 1}));
}

TEST_F(ProfileJson, every_truncation_is_damaged) {
  const std::string text = rich_text();
  for (size_t size = 0; size + 2 < text.size(); ++size)
    ASSERT_FALSE(read(text.substr(0, size))) << size;
}

TEST_F(ProfileJson, a_wrong_value_is_damaged) {
  const std::vector<std::pair<std::string, std::string>> changes = {
      {R"("profile")", R"("layout")"},
      {R"("profile")", "{}"},
      {R"("version":1)", R"("version":2)"},
      {R"("version":1)", R"("version":"1")"},
      {R"("version":1,)", ""},
      {"[1,0]", "[3]"},
      {"[1,0]", "[-1]"},
      {"[1,0]", "[4294967296]"},
      {"[1,0]", "[0.5]"},
      {"[1,0]", "[1e300]"},
      {"[1,0]", "[true]"},
      {"[1,0]", "[\"1\"]"},
      {"[1,0]", "{}"},
      {R"("name":"level")", R"("name":"menu")"},
      {R"("name":"level")", R"("name":"")"},
      {R"("name":"level")", R"("name":"le\nvel")"},
      {R"("name":"level")", R"("name":1)"},
      {R"("name":"level",)", ""},
      {R"("trace":"two.lz4")", R"("trace":2)"},
      {R"(["a",)", R"([7,)"}};
  for (const auto& [from, to] : changes) {
    std::string text = rich_text();
    const size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from << " in " << text;
    const auto profile = read(text.replace(at, from.size(), to));
    ASSERT_FALSE(profile) << from << " -> " << to;
    EXPECT_EQ(profile.error().kind, ErrorKind::damaged);
    EXPECT_THAT(profile.error().message, HasSubstr("profile.json: "));
  }
}

TEST_F(ProfileJson, any_other_json_is_damaged) {
  for (const char* text : {"", "{}", "[]", "null", "7", "nonsense", "\xff"}) {
    const auto profile = read(text);
    ASSERT_FALSE(profile) << text;
    EXPECT_EQ(profile.error().kind, ErrorKind::damaged);
  }
  EXPECT_FALSE(read(std::string(300'000, '[')));
}

TEST_F(ProfileJson, messages_stay_short) {
  const auto profile = read("{\"seekless\": \"" + std::string(1'000'000, 'x'));
  ASSERT_FALSE(profile);
  EXPECT_LT(profile.error().message.size(), 1000U);
}

}  // namespace
}  // namespace seekless
