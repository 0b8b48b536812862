#include "packer/library/internal/yaml.h"

#include <utility>
#include <vector>

#include <fmt/format.h>
#include <yaml.h>

namespace seekless {
namespace {

class YamlParser {
 public:
  explicit YamlParser(std::string_view text) {
    is_made_ = yaml_parser_initialize(&parser_) == 1;
    if (is_made_)
      yaml_parser_set_input_string(&parser_, reinterpret_cast<const unsigned char*>(text.data()),
                                   text.size());
  }
  YamlParser(const YamlParser&) = delete;
  YamlParser& operator=(const YamlParser&) = delete;
  ~YamlParser() {
    if (is_made_) yaml_parser_delete(&parser_);
  }

  bool next(yaml_event_t& event) { return is_made_ && yaml_parser_parse(&parser_, &event) == 1; }
  size_t line() const {
    return (parser_.error != YAML_NO_ERROR ? parser_.problem_mark : parser_.mark).line + 1;
  }
  std::string problem() const {
    return parser_.problem == nullptr ? "something else" : parser_.problem;
  }

 private:
  yaml_parser_t parser_ = {};
  bool is_made_ = false;
};

// Builds the tree from libyaml's events.
class YamlTree {
 public:
  YamlTree() : open_({&root_}), is_list_({true}) { root_.is_section = true; }

  bool is_too_deep() const { return open_.size() > kDeepestSection + 1; }
  void begin(bool is_list) {
    open_.push_back(&add({.key = {}, .value = {}, .is_section = true}));
    is_list_.push_back(is_list);
  }
  void end() {
    open_.pop_back();
    is_list_.pop_back();
  }
  void scalar(std::string text) {
    if (is_list_.back() || has_key_) {
      add({.key = {}, .value = std::move(text)});
      return;
    }
    key_ = std::move(text);
    has_key_ = true;
  }
  // The document's own section, or an empty one.
  TextNode taken() && {
    return root_.children.empty() ? TextNode{} : std::move(root_.children.front());
  }

 private:
  TextNode& add(TextNode node) {
    if (has_key_) node.key = std::exchange(key_, {});
    has_key_ = false;
    open_.back()->children.push_back(std::move(node));
    return open_.back()->children.back();
  }

  TextNode root_;
  std::vector<TextNode*> open_;
  std::vector<bool> is_list_;
  std::string key_;
  bool has_key_ = false;
};

void take_event(const yaml_event_t& event, YamlTree& tree) {
  if (event.type == YAML_MAPPING_START_EVENT || event.type == YAML_SEQUENCE_START_EVENT)
    tree.begin(event.type == YAML_SEQUENCE_START_EVENT);
  else if (event.type == YAML_MAPPING_END_EVENT || event.type == YAML_SEQUENCE_END_EVENT)
    tree.end();
  else if (event.type == YAML_SCALAR_EVENT)
    tree.scalar(std::string(reinterpret_cast<const char*>(event.data.scalar.value),
                            event.data.scalar.length));
  else if (event.type == YAML_ALIAS_EVENT)
    tree.scalar({});
}

std::unexpected<Error> wrong_yaml(const std::string& file, size_t line, const std::string& expected,
                                  const std::string& found) {
  return damaged(
      {.file = file, .place = fmt::format("line {}", line), .expected = expected, .found = found});
}

}  // namespace

Result<TextNode> parse_yaml(std::string_view text, const std::string& file) {
  YamlParser parser(text);
  YamlTree tree;
  for (;;) {
    yaml_event_t event = {};
    if (!parser.next(event)) return wrong_yaml(file, parser.line(), "YAML", parser.problem());
    const yaml_event_type_t type = event.type;
    take_event(event, tree);
    yaml_event_delete(&event);
    if (type == YAML_DOCUMENT_END_EVENT || type == YAML_STREAM_END_EVENT) break;
    if (tree.is_too_deep())
      return wrong_yaml(file, parser.line(),
                        fmt::format("at most {} levels in each other", kDeepestSection), "more");
  }
  TextNode document = std::move(tree).taken();
  if (!document.is_section || document.children.empty())
    return wrong_yaml(file, 1, "keys and values", "none");
  return document;
}

}  // namespace seekless
