#include "server/base/status.h"

#include <google/rpc/error_details.pb.h>
#include <gtest/gtest.h>

namespace benchwire {
namespace {

TEST(Status, BadFieldNamesFieldValueAndWhatWouldBeRight) {
  const absl::Status status = BadField("job.priority", "101", "0 to 100");
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(std::string(status.message()), "job.priority: '101' is not valid; expected 0 to 100");
  EXPECT_EQ(ErrorReason(status), "BAD_FIELD");
  EXPECT_EQ(ErrorMetadata(status, "field"), "job.priority");
  google::rpc::BadRequest bad_request;
  ASSERT_TRUE(
      bad_request.ParseFromString(std::string(*status.GetPayload("type.googleapis.com/google.rpc.BadRequest"))));
  EXPECT_EQ(bad_request.field_violations(0).field(), "job.priority");
}

TEST(Status, ALongValueIsCutBetweenCodePoints) {
  std::string value;
  for (int i = 0; i < 200; ++i) value += "测";
  const absl::Status status = BadField("name", value, "a name");
  EXPECT_LT(status.message().size(), 300u);
  EXPECT_NE(status.message().find("测…'"), std::string::npos);
}

TEST(Status, MacrosReturnTheErrorAndKeepTheValue) {
  auto half = [](int n) -> absl::StatusOr<int> {
    if (n % 2 != 0) return NotFound("n");
    return n / 2;
  };
  auto quarter = [&](int n) -> absl::StatusOr<int> {
    ASSIGN_OR_RETURN(int once, half(n));
    ASSIGN_OR_RETURN(int twice, half(once));
    return twice;
  };
  EXPECT_EQ(*quarter(8), 2);
  EXPECT_EQ(quarter(6).status().code(), absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace benchwire
