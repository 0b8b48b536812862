// The report's pictures as inline SVG. Colours and strokes come from the page's style sheet.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "packer/answer/report.h"
#include "packer/page/internal/place_scale.h"

namespace seekless {

enum class Side { before, after };

// "before" or "after"; also the class in the style sheet.
std::string_view to_string(Side side);

// A bar as wide as `share` of its box, 0 to 1, with a mark at `bound_share`; `label` says the same
// in words and isn't escaped yet.
std::string bar_svg(Side side, double share, double bound_share, std::string_view label);

// The scales that the two pictures of a scenario share.
struct HeadScales {
  double seconds = 0;           // at the right edge
  double bytes_per_second = 0;  // how fast a read goes on; 0 if unknown
  const PlaceScale& places;
};

// The height that `HeadScales::places` is to be made for.
int head_picture_height();

// The way of the head over time: place on the drive over seconds. About `budget_bytes` at most.
// `id` names it on the page; `description` is its text equivalent, not escaped yet.
std::string head_picture_svg(const ScenarioReport& scenario, Side side, const HeadScales& scales,
                             std::string_view id, std::string_view description,
                             size_t budget_bytes);

}  // namespace seekless
