// What packing has written, for people and machines.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "packer/pack/pack_set_writer.h"

namespace seekless {

// A sentence, and a line for each pack; no line end at the end.
std::string packs_text(const std::string& folder, const std::vector<WrittenPack>& packs,
                       double seconds);
// {command, folder, seconds, bytes, padding_share, packs}
nlohmann::ordered_json packs_json(const std::string& folder, const std::vector<WrittenPack>& packs,
                                  double seconds);
nlohmann::ordered_json to_json(const WrittenPack& pack);

}  // namespace seekless
