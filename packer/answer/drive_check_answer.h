// Defines the answer of 'drive check' and 'drive fit': how well a profile predicts requests to a
// real drive, with times measured by its host.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "packer/calibrate/drive_fit.h"
#include "packer/trace/served_requests.h"

namespace seekless {

struct DriveCheckAnswer {
  std::string command;  // "drive check" or "drive fit"
  std::string trace;
  std::string form;       // see ServedRequests
  std::string disk;       // empty if the form names none
  uint64_t requests = 0;  // all requests, writes included
  uint64_t queued_requests = 0;
  uint64_t unparsed_lines = 0;
  uint64_t fitted_requests = 0;  // fitted ones, from the start; 0 if the profile was given
  DriveProfile profile;
  std::vector<std::string> remarks;
  DriveJudgement judged;                   // judgement of the requests that weren't fitted
  std::optional<std::string> output = {};  // the profile's file
};

// Prints the verdict, where the error comes from, and notes. `columns` is the terminal's width.
std::string to_text(const DriveCheckAnswer& answer, size_t columns);
nlohmann::ordered_json to_json(const DriveCheckAnswer& answer);

// Returns the verdict, such as "The model predicts windows of 50 reads within 2.0 % in the median."
std::string check_sentence(const DriveCheckAnswer& answer);
// Returns the other figures, such as "3,213 reads that it wasn't fitted to: their sum is predicted
// 0.2 % too high, nine windows of ten within 4.6 %."
std::string check_details(const DriveCheckAnswer& answer);

}  // namespace seekless
