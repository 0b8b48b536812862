// Replaces yaml.cpp if libyaml was missing at build time.
#include "packer/library/internal/yaml.h"

namespace seekless {

Result<TextNode> parse_yaml(std::string_view, const std::string& file) {
  return failed({.file = file,
                 .expected = "a seekless that was built with libyaml",
                 .found = "one without",
                 .advice = "install libyaml-dev, and build again"});
}

}  // namespace seekless
