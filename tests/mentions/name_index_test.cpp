#include "packer/mentions/internal/name_index.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/mentions/game_content.h"

namespace seekless {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> found(const Content& content, std::string_view word,
                               std::string_view path = "maps/a.bsp") {
  std::vector<std::string> paths;
  for (const NamedAsset& of : NameIndex(content).find(word, path))
    paths.emplace_back(content.assets[of.asset].path);
  return paths;
}

TEST(NameIndex, finds_what_lies_in_folders_called_so_wherever_they_are) {
  const Content content = content_of({"base/textures/Rock.png", "base/other/rock.png"});
  EXPECT_THAT(found(content, "textures/rock.png"), ElementsAre("base/textures/Rock.png"));
  EXPECT_THAT(found(content, "textures/rock"), ElementsAre("base/textures/Rock.png"));
  EXPECT_THAT(found(content, "tures/rock.png"), IsEmpty());
  EXPECT_THAT(found(content, "more/base/textures/rock.png"), IsEmpty());
}

TEST(NameIndex, takes_another_ending_where_there_is_no_such_file) {
  const Content content =
      content_of({"textures/rock.jpg", "textures/sand.jpg", "textures/sand.tga"});
  EXPECT_THAT(found(content, "textures/rock.tga"), ElementsAre("textures/rock.jpg"));
  EXPECT_THAT(found(content, "textures/sand.tga"), ElementsAre("textures/sand.tga"));
}

TEST(NameIndex, prefers_what_lies_beside_the_file_that_names_it) {
  const Content content = content_of({"tracks/a/grass.png", "tracks/b/grass.png"});
  EXPECT_THAT(found(content, "grass.png", "tracks/b/scene.xml"), ElementsAre("tracks/b/grass.png"));
  EXPECT_THAT(found(content, "grass.png", "scene.xml"),
              ElementsAre("tracks/a/grass.png", "tracks/b/grass.png"));
}

TEST(NameIndex, doesnt_take_a_name_that_many_files_have_nor_short_stems) {
  std::vector<std::string> paths = {"data/elf.md3"};
  for (char c = 'a'; c <= 'i'; ++c) paths.push_back(std::string("tracks/") + c + "/scene.xml");
  const Content content = content_of(paths);
  EXPECT_THAT(found(content, "scene.xml"), IsEmpty());
  EXPECT_THAT(found(content, "b/scene.xml"), ElementsAre("tracks/b/scene.xml"));
  EXPECT_THAT(found(content, "elf"), IsEmpty());
  EXPECT_THAT(found(content, "elf.md3"), ElementsAre("data/elf.md3"));
}

}  // namespace
}  // namespace seekless
