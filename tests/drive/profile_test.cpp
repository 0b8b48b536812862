// Tests profiles by name and from text, and that the schema agrees with the reader's checks.
#include "packer/drive/profile.h"

#include <algorithm>
#include <fstream>
#include <limits>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace seekless {
namespace {

using Json = nlohmann::ordered_json;
using testing::AllOf;
using testing::HasSubstr;

Json json_of(std::string_view name) {
  return Json::parse(to_json(find_profile(name).value()));
}

std::string error_of(const std::string& text) {
  const auto parsed = parse_profile(text, "mine.json");
  if (parsed) return "it was accepted";
  EXPECT_EQ(parsed.error().kind, ErrorKind::damaged);
  return parsed.error().message;
}

// Returns the error if one key of a good profile has another value.
std::string error_with(std::string_view profile, const std::string& key, const Json& value) {
  Json json = json_of(profile);
  json[key] = value;
  return error_of(json.dump());
}

TEST(Profile, built_in_ones_are_found_by_name_and_keep_the_rules) {
  for (const char* name :
       {"wd-black-1tb", "toshiba-x300-4tb", "laptop-5400", "sata-ssd", "nvme-optane"}) {
    const auto found = find_profile(name);
    ASSERT_TRUE(found) << name;
    EXPECT_EQ(found->name, name);
    EXPECT_TRUE(check_profile(*found, name)) << name;
  }
  EXPECT_EQ(builtin_profiles().size(), 5u);
}

TEST(Profile, unknown_name_is_a_usage_error_that_lists_the_known) {
  const auto found = find_profile("floppy");
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().kind, ErrorKind::usage);
  EXPECT_THAT(found.error().message,
              AllOf(HasSubstr("'floppy'"), HasSubstr("wd-black-1tb, toshiba-x300-4tb, laptop-5400, "
                                                     "sata-ssd, nvme-optane")));
}

TEST(Profile, written_ones_are_read_back_to_the_same) {
  for (const DriveProfile& profile : builtin_profiles()) {
    const auto again = parse_profile(to_json(profile), "again.json");
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_EQ(to_json(*again), to_json(profile));
    EXPECT_EQ(again->hardware.index(), profile.hardware.index());
  }
}

TEST(Profile, reads_numbers_in_any_form_of_json) {
  Json json = json_of("wd-black-1tb");
  std::string text = json.dump();
  text.replace(text.find("1000200000000"), 13, "1000.2e9");
  const auto parsed = parse_profile(text, "mine.json");
  ASSERT_TRUE(parsed) << parsed.error().message;
  EXPECT_EQ(std::get<HardDisk>(parsed->hardware).capacity_bytes, 1'000'200'000'000u);
}

TEST(Profile, rejects_zero_negative_and_absurd_values_naming_key_range_and_value) {
  EXPECT_THAT(error_with("wd-black-1tb", "rpm", 0),
              AllOf(HasSubstr("mine.json: key 'rpm'"),
                    HasSubstr("expected a number from 1000 to 30000"), HasSubstr("found 0;")));
  EXPECT_THAT(error_with("wd-black-1tb", "overhead_ms", -0.5),
              AllOf(HasSubstr("'overhead_ms'"), HasSubstr("found -0.5;")));
  EXPECT_THAT(error_with("wd-black-1tb", "capacity_bytes", 1e300),
              AllOf(HasSubstr("'capacity_bytes'"), HasSubstr("a whole number from")));
  EXPECT_THAT(error_with("wd-black-1tb", "capacity_bytes", UINT64_MAX),
              HasSubstr("'capacity_bytes'"));
  EXPECT_THAT(error_with("wd-black-1tb", "read_ahead_bytes", 4096.5), HasSubstr("found 4096.5;"));
  EXPECT_THAT(error_with("sata-ssd", "latency_ms", 0), HasSubstr("'latency_ms'"));
}

TEST(Profile, says_of_the_drives_memory_only_what_is_not_usual) {
  Json json = json_of("wd-black-1tb");
  EXPECT_FALSE(json.contains("segments"));
  json["segments"] = 16;
  json["segment_bytes"] = 2'097'152;
  const auto parsed = parse_profile(json.dump(), "mine.json");
  ASSERT_TRUE(parsed) << parsed.error().message;
  EXPECT_EQ(std::get<HardDisk>(parsed->hardware).segments, 16u);
  EXPECT_EQ(Json::parse(to_json(*parsed)), json);
  EXPECT_THAT(error_with("wd-black-1tb", "segment_bytes", 4096),
              AllOf(HasSubstr("'segment_bytes'"), HasSubstr("at least read_ahead_bytes, 262144")));
  EXPECT_THAT(error_with("wd-black-1tb", "segments", 0),
              HasSubstr("a whole number from 1 to 1024"));
}

TEST(Profile, rejects_values_of_another_type) {
  EXPECT_THAT(error_with("wd-black-1tb", "rpm", "7200"), HasSubstr("found '7200';"));
  EXPECT_THAT(error_with("wd-black-1tb", "rpm", nullptr), HasSubstr("found null;"));
  EXPECT_THAT(error_with("wd-black-1tb", "rpm", true), HasSubstr("found true;"));
  EXPECT_THAT(error_with("wd-black-1tb", "rpm", Json::array({7200})),
              AllOf(HasSubstr("'rpm'"), HasSubstr("found an array")));
  EXPECT_THAT(error_with("wd-black-1tb", "rpm", Json::object()),
              AllOf(HasSubstr("'rpm'"), HasSubstr("found an object")));
  EXPECT_THAT(error_with("wd-black-1tb", "name", 5), HasSubstr("'name'"));
}

TEST(Profile, rejects_not_a_number_and_infinity) {
  std::string text = to_json(find_profile("wd-black-1tb").value());
  for (const char* value : {"NaN", "nan", "Infinity", "1e999", "-1e999", "0x10", "7,2"}) {
    std::string changed = text;
    changed.replace(changed.find("7200"), 4, value);
    const std::string error = error_of(changed);
    EXPECT_THAT(error, HasSubstr("rpm")) << value;
    EXPECT_THAT(error, AllOf(HasSubstr("mine.json: byte "), HasSubstr("expected JSON"))) << value;
  }
  DriveProfile made = find_profile("wd-black-1tb").value();
  std::get<HardDisk>(made.hardware).seek_b_ms = std::numeric_limits<double>::quiet_NaN();
  const auto checked = check_profile(made, "made");
  ASSERT_FALSE(checked);
  EXPECT_THAT(checked.error().message, AllOf(HasSubstr("'seek_b_ms'"), HasSubstr("nan")));
}

TEST(Profile, rejects_each_missing_key) {
  for (const char* name : {"wd-black-1tb", "sata-ssd"}) {
    const Json whole = json_of(name);
    for (const auto& [key, value] : whole.items()) {
      Json json = whole;
      json.erase(key);
      EXPECT_THAT(error_of(json.dump()),
                  AllOf(HasSubstr(fmt::format("key '{}'", key)), HasSubstr("found nothing")));
    }
  }
}

TEST(Profile, rejects_unknown_and_repeated_keys) {
  EXPECT_THAT(error_with("wd-black-1tb", "rmp", 7200),
              AllOf(HasSubstr("'rmp'"), HasSubstr("unknown key"), HasSubstr("seek_t0_ms")));
  // A key of the other kind of drive is unknown, too.
  EXPECT_THAT(error_with("sata-ssd", "rpm", 7200), HasSubstr("'rpm'"));
  std::string text = json_of("sata-ssd").dump();
  text.insert(1, "\"latency_ms\":0.1,");
  EXPECT_THAT(error_of(text), AllOf(HasSubstr("'latency_ms'"), HasSubstr("twice")));
}

TEST(Profile, rejects_another_version_or_kind) {
  EXPECT_THAT(error_with("sata-ssd", "version", 2),
              AllOf(HasSubstr("'version'"), HasSubstr("found 2; it is for another version")));
  EXPECT_THAT(error_with("sata-ssd", "kind", "tape"),
              AllOf(HasSubstr("expected 'disk' or 'ssd'"), HasSubstr("found 'tape'")));
}

TEST(Profile, rejects_names_that_are_not_plain) {
  for (const std::string& name : {std::string(), std::string(65, 'a'), std::string("a\nb"),
                                  std::string(" a"), std::string("a/b"), std::string("\xC3\xA4")})
    EXPECT_THAT(error_with("sata-ssd", "name", name), HasSubstr("key 'name'"));
}

TEST(Profile, rejects_figures_that_do_not_fit_together) {
  EXPECT_THAT(error_with("wd-black-1tb", "inner_bytes_per_s", 130e6),
              AllOf(HasSubstr("'inner_bytes_per_s'"), HasSubstr("at most outer_bytes_per_s")));
  EXPECT_THAT(error_with("wd-black-1tb", "seek_c_ms", 55.25), HasSubstr("seek curve meet"));
}

TEST(Profile, rejects_text_that_is_no_object) {
  for (const char* text : {"", " ", "[]", "1", "\"x\"", "null", "{}x", "{\"a\"}", "\xff", "{]"})
    EXPECT_THAT(error_of(text), HasSubstr("mine.json: ")) << text;
  EXPECT_THAT(error_of("{}"), HasSubstr("key 'version'"));
  EXPECT_THAT(error_of(std::string(1000, '[')), HasSubstr("an array"));
  EXPECT_THAT(error_of(std::string(70000, ' ')), HasSubstr("at most 65536 bytes"));
  std::string many = "{";
  for (int i = 0; i < 1000; ++i) many += fmt::format("\"k{}\":1,", i);
  EXPECT_THAT(error_of(many + "\"z\":1}"), HasSubstr("at most 64 keys"));
}

TEST(Profile, rejects_every_truncation) {
  const std::string text = to_json(find_profile("laptop-5400").value());
  const size_t last_brace = text.rfind('}');
  for (size_t size = 0; size <= last_brace; ++size)
    EXPECT_FALSE(parse_profile(text.substr(0, size), "cut.json")) << size;
}

TEST(Profile, errors_stay_short_whatever_the_text) {
  EXPECT_LT(error_of("{\"" + std::string(60000, 'k') + "\":1}").size(), 1000u);
  EXPECT_LT(error_with("sata-ssd", "kind", std::string(60000, 'k')).size(), 1000u);
  EXPECT_LT(error_of("{\"a\":" + std::string(60000, '1') + "x}").size(), 1000u);
}

// The schema has the ranges that errors name, and the keys that are written.
TEST(Profile, schema_agrees_with_the_reader) {
  std::ifstream file(SEEKLESS_DRIVE_SCHEMA);
  const Json schema = Json::parse(file);
  EXPECT_EQ(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
  const std::pair<const char*, const char*> kinds[] = {{"disk", "wd-black-1tb"},
                                                       {"ssd", "sata-ssd"}};
  for (const auto& [kind, example] : kinds) {
    const Json& of_kind = schema["$defs"][kind];
    Json keys = Json::array();
    const Json written = json_of(example);
    for (const auto& [key, value] : written.items()) keys.push_back(key);
    EXPECT_EQ(of_kind["required"], keys);
    const auto may_be_missing = std::ranges::count_if(
        of_kind["properties"], [](const Json& rule) { return rule.contains("default"); });
    EXPECT_EQ(of_kind["properties"].size(), keys.size() + static_cast<size_t>(may_be_missing));
    EXPECT_EQ(of_kind["properties"]["kind"]["const"], kind);
    EXPECT_EQ(of_kind["additionalProperties"], false);
    for (const auto& [key, rule] : of_kind["properties"].items()) {
      if (!rule.contains("minimum")) continue;
      const std::string range = fmt::format(
          "expected a {}number from {} to {},", rule["type"] == "integer" ? "whole " : "",
          rule["minimum"].get<double>(), rule["maximum"].get<double>());
      EXPECT_THAT(error_with(example, key, rule["minimum"].get<double>() - 1), HasSubstr(range));
      EXPECT_THAT(error_with(example, key, rule["maximum"].get<double>() * 1.001 + 1),
                  HasSubstr(range));
    }
  }
}

}  // namespace
}  // namespace seekless
