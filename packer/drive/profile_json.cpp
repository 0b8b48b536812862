// Reads and writes profiles as JSON. The text is untrusted, so it is read event by event into a
// short list of members. Thus nothing can nest, repeated keys are noticed, and an error can name
// its place.
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "packer/drive/profile.h"
#include "packer/drive/profile_fields.h"
#include "packer/host/files.h"

namespace seekless {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kMaxTextBytes = size_t{64} * 1024;
constexpr size_t kMaxMembers = 64;
constexpr size_t kMaxShownBytes = 40;  // an error shows at most this much of the input
constexpr double kVersion = 1;

struct OtherValue {
  std::string_view description;
};

struct Member {
  std::string key;
  std::variant<double, std::string, OtherValue> value;
  bool used = false;
};

std::string shown(std::string_view text) {
  if (text.size() <= kMaxShownBytes) return fmt::format("'{}'", text);
  return fmt::format("'{}...'", text.substr(0, kMaxShownBytes));
}

std::string shown(const Member& member) {
  if (const double* number = std::get_if<double>(&member.value)) return fmt::format("{}", *number);
  if (const auto* text = std::get_if<std::string>(&member.value)) return shown(*text);
  return std::string(std::get<OtherValue>(member.value).description);
}

// Reads one object of plain values. Each callback returns whether to continue; if not, `fault` says
// why.
class MemberReader final : public nlohmann::json_sax<Json> {
 public:
  std::vector<Member> members;
  Fault fault;

  bool null() override { return add(OtherValue{"null"}); }
  bool boolean(bool value) override { return add(OtherValue{value ? "true" : "false"}); }
  bool number_integer(int64_t value) override { return add(static_cast<double>(value)); }
  bool number_unsigned(uint64_t value) override { return add(static_cast<double>(value)); }
  bool number_float(double value, const std::string&) override { return add(value); }
  bool string(std::string& value) override { return add(std::move(value)); }
  bool binary(Json::binary_t&) override { return add(OtherValue{"binary"}); }

  bool key(std::string& name) override {
    for (const Member& member : members)
      if (member.key == name)
        return refuse(fmt::format("key {}", shown(name)), "it once", "it twice");
    if (members.size() == kMaxMembers)
      return refuse(fmt::format("key {}", shown(name)), fmt::format("at most {} keys", kMaxMembers),
                    "more");
    key_ = std::move(name);
    return true;
  }

  bool start_object(size_t) override {
    if (inside_) return refuse(place(), "a plain value", "an object");
    inside_ = true;
    return true;
  }
  bool start_array(size_t) override { return refuse(place(), plain_or_object(), "an array"); }
  bool end_object() override { return true; }
  bool end_array() override { return true; }

  bool parse_error(size_t position_bytes, const std::string& last_token,
                   const nlohmann::detail::exception&) override {
    std::string where = fmt::format("byte {}", position_bytes);
    if (!key_.empty()) where += fmt::format(", at or after key {}", shown(key_));
    return refuse(std::move(where), "JSON", last_token.empty() ? "its end" : shown(last_token));
  }

 private:
  template <typename Value>
  bool add(Value value) {
    if (!inside_) return refuse(place(), plain_or_object(), "a plain value");
    members.push_back({.key = key_, .value = std::move(value)});
    return true;
  }

  bool refuse(std::string where, std::string expected, std::string found) {
    fault = {.place = std::move(where), .expected = std::move(expected), .found = std::move(found)};
    return false;
  }

  std::string place() const { return key_.empty() ? "byte 1" : fmt::format("key {}", shown(key_)); }
  std::string plain_or_object() const { return inside_ ? "a plain value" : "an object"; }

  std::string key_;
  bool inside_ = false;
};

// Holds the members of one file. Each is taken once; those left over are unknown.
class Members {
 public:
  Members(std::vector<Member> members, const std::string& file_name)
      : members_(std::move(members)), file_name_(file_name) {}

  Result<double> take_number(std::string_view key, const std::string& expected) {
    const Member* member = take(key);
    if (member != nullptr && std::holds_alternative<double>(member->value))
      return std::get<double>(member->value);
    return wrong(key, expected, member);
  }

  Result<std::string> take_text(std::string_view key, std::string_view expected) {
    const Member* member = take(key);
    if (member != nullptr && std::holds_alternative<std::string>(member->value))
      return std::get<std::string>(member->value);
    return wrong(key, std::string(expected), member);
  }

  std::unexpected<Error> wrong(std::string_view key, std::string expected, const Member* member,
                               std::string advice = "see schemas/drive.schema.json") const {
    return damaged({.file = file_name_,
                    .place = fmt::format("key '{}'", key),
                    .expected = std::move(expected),
                    .found = member == nullptr ? "nothing" : shown(*member),
                    .advice = std::move(advice)});
  }

  const Member* find(std::string_view key) const {
    for (const Member& member : members_)
      if (member.key == key) return &member;
    return nullptr;
  }

  const Member* first_unused() const {
    for (const Member& member : members_)
      if (!member.used) return &member;
    return nullptr;
  }

 private:
  const Member* take(std::string_view key) {
    for (Member& member : members_)
      if (member.key == key) {
        member.used = true;
        return &member;
      }
    return nullptr;
  }

  std::vector<Member> members_;
  const std::string& file_name_;
};

// Fills in one figure. Checks its range even here, because a whole number must fit its type.
template <typename Hardware>
Result<void> take_field(Members& members, const ProfileField<Hardware>& field, Hardware& hardware) {
  if (field.may_be_missing && members.find(field.key) == nullptr) return {};
  SKL_TRY(const auto value, members.take_number(field.key, range_of(field)));
  const bool in_range = value >= field.minimum && value <= field.maximum;
  if (!in_range || (takes_whole_numbers(field) && value != std::floor(value)))
    return members.wrong(field.key, range_of(field), members.find(field.key));
  std::visit(
      [&](auto member) {
        using Value = std::remove_reference_t<decltype(hardware.*member)>;
        hardware.*member = static_cast<Value>(value);
      },
      field.member);
  return {};
}

template <typename Hardware>
Result<void> take_hardware(Members& members, DriveProfile& profile, const std::string& file_name) {
  Hardware hardware;
  std::vector<std::string_view> known = {"version", "name", "kind"};
  for (const auto& field : profile_fields<Hardware>()) known.push_back(field.key);
  for (const auto& field : profile_fields<Hardware>())
    SKL_TRY_DO(take_field(members, field, hardware));
  if (const Member* unknown = members.first_unused())
    return damaged({.file = file_name,
                    .place = fmt::format("key {}", shown(unknown->key)),
                    .expected = fmt::format("only the keys {}", fmt::join(known, ", ")),
                    .found = "an unknown key",
                    .advice = "see schemas/drive.schema.json"});
  profile.hardware = hardware;
  return {};
}

Result<DriveProfile> to_profile(Members members, const std::string& file_name) {
  const auto version = members.take_number("version", "1");
  if (!version) return std::unexpected(version.error());
  if (*version != kVersion)
    return members.wrong("version", "1", members.find("version"),
                         "it is for another version of seekless");
  DriveProfile profile;
  SKL_TRY(auto name, members.take_text("name", kNameRule));
  profile.name = std::move(name);
  const std::string kinds = fmt::format("'{}' or '{}'", kHardDiskKind, kSolidStateKind);
  SKL_TRY(const auto kind, members.take_text("kind", kinds));
  Result<void> taken;
  if (kind == kHardDiskKind)
    taken = take_hardware<HardDisk>(members, profile, file_name);
  else if (kind == kSolidStateKind)
    taken = take_hardware<SolidState>(members, profile, file_name);
  else
    taken = members.wrong("kind", kinds, members.find("kind"));
  if (taken) taken = check_profile(profile, file_name);
  if (!taken) return std::unexpected(taken.error());
  return profile;
}

template <typename Hardware>
void append_fields(Json& json, const Hardware& hardware) {
  for (const auto& field : profile_fields<Hardware>())
    if (!field.may_be_missing || get_field(hardware, field) != get_field(Hardware{}, field))
      std::visit([&](auto member) { json[std::string(field.key)] = hardware.*member; },
                 field.member);
}

}  // namespace

Result<DriveProfile> parse_profile(std::string_view json_text, const std::string& file_name) {
  if (json_text.size() > kMaxTextBytes)
    return damaged({.file = file_name,
                    .expected = fmt::format("at most {} bytes", kMaxTextBytes),
                    .found = fmt::format("{}", json_text.size())});
  MemberReader reader;
  if (!Json::sax_parse(json_text, &reader)) {
    reader.fault.file = file_name;
    return damaged(reader.fault);
  }
  return to_profile(Members(std::move(reader.members), file_name), file_name);
}

Result<DriveProfile> get_drive(const std::string& name) {
  if (!name.ends_with(".json")) return find_profile(name);
  constexpr uint64_t kLimitBytes = 64 * 1024;
  SKL_TRY(const auto text, read_text(name, kLimitBytes));
  return parse_profile(text, name);
}

std::string to_json(const DriveProfile& profile) {
  const bool is_disk = std::holds_alternative<HardDisk>(profile.hardware);
  Json json;
  json["version"] = static_cast<int>(kVersion);
  json["name"] = profile.name;
  json["kind"] = is_disk ? kHardDiskKind : kSolidStateKind;
  std::visit([&](const auto& hardware) { append_fields(json, hardware); }, profile.hardware);
  return json.dump(2) + "\n";
}

}  // namespace seekless
