// Draws the report's pictures as inline SVG. Colours and strokes come from the page's style sheet.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "packer/answer/report.h"
#include "packer/page/internal/place_scale.h"

namespace seekless {

enum class Side { before, after };

// Returns "before" or "after", which is also the class in the style sheet.
std::string_view to_string(Side side);

// Returns a bar of width `share` (0 to 1) of its box, with a mark at `bound_share`. `label` says
// the same in words, and isn't escaped yet.
std::string bar_svg(Side side, double share, double bound_share, std::string_view label);

// Holds the scales that the two pictures of a scenario share.
struct HeadScales {
  double seconds = 0;           // seconds at the right edge
  double bytes_per_second = 0;  // rate at which a read continues; 0 if unknown
  const PlaceScale& places;
};

// Returns the height that `HeadScales::places` must have.
int head_picture_height();

// Draws the path of the head: the place on the drive over time. The text has about `budget_bytes`
// at most. `id` is unique on the page; `description` is the text for people who can't see the
// picture, and isn't escaped yet.
std::string head_picture_svg(const ScenarioReport& scenario, Side side, const HeadScales& scales,
                             std::string_view id, std::string_view description,
                             size_t budget_bytes);

}  // namespace seekless
