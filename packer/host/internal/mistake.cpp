#include "packer/host/internal/mistake.h"

#include "packer/host/standard_streams.h"

namespace seekless {

void say_mistake(std::initializer_list<std::string_view> what) noexcept {
  say("seekless: error: a mistake of its own: ");
  for (const std::string_view part : what) say(part);
  say("; please report it\n");
}

}  // namespace seekless
