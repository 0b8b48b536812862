// Tables of text cells as sections of a page.
#pragma once

#include <string>
#include <string_view>

#include "packer/answer/build_tables.h"

namespace seekless {

// Under the table's title, with a note after it, which may be empty. Empty without rows.
std::string table_section(const ReportTable& table, std::string_view note);

}  // namespace seekless
