// A claim as a reader sees it: verdict, number, what it rests on, and how to repeat it. Pure.
#ifndef BENCHWIRE_SERVER_GATEWAY_CLAIM_VIEW_H_
#define BENCHWIRE_SERVER_GATEWAY_CLAIM_VIEW_H_

#include <benchwire/v1/digest.pb.h>

#include <string>

#include "server/gateway/words.h"

namespace benchwire::gateway {

std::string ClaimView(const v1::Claim& claim, Language language);

// `> 20 GB/s`, `10 ns – 12 ns`.
std::string ConditionText(const v1::Condition& condition);

// Facts about machine and software as a definition list inside `<details>`; empty where there are none.
std::string EnvironmentView(const google::protobuf::Map<std::string, std::string>& environment, Language language);

// Label values in order of their keys: `src=gpu:0 dst=gpu:1`.
std::string LabelsText(const google::protobuf::Map<std::string, std::string>& labels);

}  // namespace benchwire::gateway

#endif  // BENCHWIRE_SERVER_GATEWAY_CLAIM_VIEW_H_
