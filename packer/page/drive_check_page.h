// Makes the page of 'drive check': requests as a drive served them, and as the model predicts them.
#pragma once

#include <string>

#include "packer/answer/drive_check_answer.h"

namespace seekless {

// Returns a self-contained page.
std::string to_html(const DriveCheckAnswer& answer);

}  // namespace seekless
