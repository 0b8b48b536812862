// Reads Windows' registry. Keys and values are UTF-8. Nothing is written.
#pragma once

#include <string>
#include <vector>

namespace seekless {

enum class RegistryRoot { user, machine };  // HKEY_CURRENT_USER, HKEY_LOCAL_MACHINE

// Returns a value that is a text; empty if there is none.
std::string registry_text(RegistryRoot root, const std::string& key, const std::string& name);
// Returns the names of the keys right below `key`, at most 20,000.
std::vector<std::string> registry_keys(RegistryRoot root, const std::string& key);

}  // namespace seekless
