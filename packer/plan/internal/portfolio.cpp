#include "packer/plan/internal/portfolio.h"

#include "packer/host/interrupt.h"
#include "packer/plan/internal/aligned_order.h"
#include "packer/plan/internal/chain_order.h"
#include "packer/plan/internal/medoid_order.h"
#include "packer/plan/internal/partition_order.h"
#include "packer/plan/internal/precedence.h"
#include "packer/plan/internal/rank_orders.h"
#include "packer/plan/internal/strays.h"

namespace seekless {
namespace {

enum Method : size_t {
  kFirstSeen,
  kMeanRank,
  kMedianRank,
  kMedoid,
  kMedoidStraysLast,
  kAligned,
  kAlignedStraysLast,
  kSurePairs,
  kPartition,
  kChainsPrecedence,
  kPrecedence,
  kPrecedenceStraysLast,
  kMethodCount,
};

constexpr std::string_view kMethods[] = {"first-seen",
                                         "mean rank",
                                         "median rank",
                                         "medoid",
                                         "medoid, strays last",
                                         "aligned",
                                         "aligned, strays last",
                                         "sure pairs, strays last",
                                         "partition, strays last",
                                         "chains, precedence",
                                         "precedence",
                                         "precedence, strays last"};

static_assert(std::size(kMethods) == kMethodCount);

}  // namespace

std::span<const std::string_view> Portfolio::methods() {
  return kMethods;
}

size_t Portfolio::usual_method() {
  return kAlignedStraysLast;
}

Order Portfolio::make(size_t method) {
  stop_if_interrupted();
  switch (method) {
    case kMeanRank:
      return mean_rank_order(set_, runs_);
    case kMedianRank:
      return median_rank_order(set_, runs_);
    case kMedoid:
      return medoid();
    case kMedoidStraysLast:
      return strays_last(medoid());
    case kAligned:
      return aligned();
    case kAlignedStraysLast:
      return strays_last(aligned());
    case kSurePairs:
      return with_sure_pairs_kept(set_, runs_, strays_last(aligned()));
    case kPartition:
      return strays_last(partition_order(set_, runs_, medoid()));
    case kChainsPrecedence:
      return with_precedence_kept(set_, runs_, strays_last(chain_order(set_, runs_, medoid())));
    case kPrecedence:
      return precedence();
    case kPrecedenceStraysLast:
      return strays_last(precedence());
    default:
      return first_seen_order(set_, runs_);
  }
}

std::vector<Order> Portfolio::make_all() {
  std::vector<Order> orders;
  for (size_t method = 0; method < kMethodCount; ++method) orders.push_back(make(method));
  return orders;
}

const Order& Portfolio::medoid() {
  if (medoid_.empty())
    medoid_ = run_with_others_inserted(set_, medoid_run(set_, runs_, cost_), runs_);
  return medoid_;
}

const Order& Portfolio::aligned() {
  if (aligned_.empty()) aligned_ = aligned_order(set_, runs_, medoid());
  return aligned_;
}

const Order& Portfolio::precedence() {
  if (precedence_.empty()) precedence_ = with_precedence_kept(set_, runs_, aligned());
  return precedence_;
}

Order Portfolio::strays_last(const Order& order) const {
  return with_strays_last(set_, runs_, order, costs_, near_bytes_);
}

}  // namespace seekless
