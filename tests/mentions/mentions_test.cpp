#include "packer/mentions/internal/mentions.h"

#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/mentions/game_content.h"

namespace seekless {
namespace {

using namespace std::string_literals;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

// Returns "path: kind" for each mention.
std::vector<std::string> texts(const Content& content, const std::vector<Mention>& mentions) {
  std::vector<std::string> found;
  for (const Mention& of : mentions)
    found.push_back(std::string(content.assets[of.asset].path) + ": " + of.kind);
  return found;
}

TEST(Mentions, are_names_and_what_definitions_of_names_name) {
  const Content content =
      content_of({"maps/a.bsp", "scripts/sky.shader", "env/dusk.tga", "textures/rock.jpg"});
  const NameIndex names(content);
  Definitions definitions;
  definitions.add(number_of(content, "scripts/sky.shader"), "textures/skies/dusk { env/dusk.tga }");
  const Mentions mentions(content, names, definitions);
  const std::string bytes = "IBSP\0textures/rock\0textures/skies/dusk\0maps/a.bsp"s;
  EXPECT_THAT(texts(content, mentions.in(number_of(content, "maps/a.bsp"), bytes)),
              UnorderedElementsAre("textures/rock.jpg: bsp by path without ending jpg",
                                   "env/dusk.tga: bsp by defined by path tga"));
}

TEST(Mentions, of_a_list_of_all_there_is_dont_count) {
  std::vector<std::string> paths = {"all.txt"};
  std::string list;
  for (int i = 0; i < 5000; ++i) {
    paths.push_back(fmt::format("data/{:05}.png", i));
    list += paths.back() + "\n";
  }
  const Content content = content_of(paths);
  const NameIndex names(content);
  const Definitions none;
  EXPECT_THAT(Mentions(content, names, none).in(number_of(content, "all.txt"), list), IsEmpty());
}

TEST(Mentions, beside_are_what_begins_with_the_same_name) {
  const Content content = content_of({"t/rock.png", "t/rock.txt", "t/rock_norm.png", "t/rocks.png",
                                      "t/rock_old/x.png", "t/sand.png"});
  const NameIndex names(content);
  const Definitions none;
  const Mentions mentions(content, names, none);
  EXPECT_THAT(texts(content, mentions.beside(number_of(content, "t/rock.png"))),
              ElementsAre("t/rock.txt: png beside txt", "t/rock_norm.png: png beside _norm.png"));
  EXPECT_THAT(mentions.beside(number_of(content, "t/sand.png")), IsEmpty());
}

}  // namespace
}  // namespace seekless
