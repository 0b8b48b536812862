// Makes the page of 'drive check': measured times of a drive's requests beside the model's
// predictions.
#pragma once

#include <string>

#include "packer/answer/drive_check_answer.h"

namespace seekless {

// Returns a self-contained page.
std::string to_html(const DriveCheckAnswer& answer);

}  // namespace seekless
