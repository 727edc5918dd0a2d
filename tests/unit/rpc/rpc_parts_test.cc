// The access table against the contract, and what a status becomes on its way out.
#include <google/protobuf/descriptor.h>
#include <google/rpc/error_details.pb.h>
#include <google/rpc/status.pb.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "server/base/status.h"
#include "server/rpc/access.h"
#include "server/rpc/status_conversion.h"

namespace benchwire::rpc {
namespace {

using google::protobuf::DescriptorPool;

// Every method of every service that the folder of the contract holds.
std::set<std::string> ContractMethods() {
  std::set<std::string> out;
  for (const auto& item : std::filesystem::directory_iterator(BENCHWIRE_PROTO_DIR "/benchwire/v1")) {
    if (item.path().extension() != ".proto") continue;
    const std::string name = "benchwire/v1/" + item.path().filename().string();
    const auto* file = DescriptorPool::generated_pool()->FindFileByName(name);
    if (file == nullptr) ADD_FAILURE() << name << " is not linked into this test";
    for (int s = 0; file != nullptr && s < file->service_count(); ++s) {
      for (int m = 0; m < file->service(s)->method_count(); ++m) {
        out.insert("/" + file->service(s)->full_name() + "/" + file->service(s)->method(m)->name());
      }
    }
  }
  return out;
}

TEST(Access, TheTableHoldsEveryMethodOfTheContractAndNothingElse) {
  std::set<std::string> ruled;
  for (const AccessRule& rule : AccessRules()) EXPECT_TRUE(ruled.insert(rule.method).second) << rule.method;
  const std::set<std::string> methods = ContractMethods();
  EXPECT_GT(methods.size(), 30u);
  EXPECT_EQ(ruled, methods);
}

TEST(Access, OneRoleOpensItsMethodsOnly) {
  for (const AccessRule& rule : AccessRules()) {
    for (Role role : {Role::kReader, Role::kSubmitter, Role::kEditor, Role::kWorker, Role::kAdmin}) {
      const absl::Status status = CheckAccess(rule.method, {"someone", {role}});
      EXPECT_EQ(status.ok(), role == rule.role) << rule.method;
      if (!status.ok()) {
        EXPECT_EQ(ErrorReason(status), "NO_ROLE");
        EXPECT_EQ(status.code(), absl::StatusCode::kPermissionDenied);
      }
    }
    EXPECT_TRUE(CheckAccess(rule.method, LocalPrincipal()).ok());
  }
  EXPECT_EQ(ErrorReason(CheckAccess("/benchwire.v1.JobService/Nothing", LocalPrincipal())), "NO_RULE");
}

google::rpc::Status Details(const grpc::Status& status) {
  google::rpc::Status out;
  EXPECT_TRUE(out.ParseFromString(status.error_details()));
  return out;
}

TEST(StatusConversion, CarriesCodeMessageAndDetails) {
  EXPECT_TRUE(ToGrpcStatus(absl::OkStatus()).ok());
  const grpc::Status status = ToGrpcStatus(BadField("job.priority", "101", "0 to 100"));
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  const google::rpc::Status details = Details(status);
  EXPECT_EQ(details.code(), static_cast<int>(status.error_code()));
  EXPECT_EQ(details.message(), status.error_message());
  google::rpc::BadRequest bad_request;
  google::rpc::ErrorInfo info;
  for (const auto& detail : details.details()) {
    detail.UnpackTo(&bad_request);
    detail.UnpackTo(&info);
  }
  EXPECT_EQ(bad_request.field_violations(0).field(), "job.priority");
  EXPECT_EQ(info.reason(), "BAD_FIELD");
  EXPECT_EQ(info.domain(), "benchwire");
}

TEST(StatusConversion, ALongMessageIsCutBetweenCodePoints) {
  std::string message = "ab";
  for (int i = 0; i < 1000; ++i) message += "测";
  const grpc::Status status = ToGrpcStatus(absl::InternalError(message));
  EXPECT_EQ(status.error_message().size(), 1022u);  // 1024 would cut one in two.
  EXPECT_EQ(status.error_message(), message.substr(0, 1022));
  EXPECT_EQ(Details(status).message(), status.error_message());
}

TEST(StatusConversion, ManyDetailsAreHeldToTheirLimit) {
  absl::Status status = Precondition("REASON", "message");
  for (int i = 0; i < 40; ++i) status.SetPayload("type/" + std::to_string(i), absl::Cord(std::string(300, 'x')));
  const grpc::Status converted = ToGrpcStatus(status);
  EXPECT_LE(converted.error_details().size(), 4096u);
  EXPECT_GE(Details(converted).details_size(), 10);
  EXPECT_LT(Details(converted).details_size(), 20);
}

TEST(StatusConversion, TheReasonStaysWhereItsMetadataIsTooLarge) {
  std::map<std::string, std::string> metadata;
  for (int i = 0; i < 100; ++i) metadata["worker-" + std::to_string(i)] = "offers no runner of kind p2p";
  const google::rpc::Status details = Details(ToGrpcStatus(Precondition("UNSATISFIABLE", "none", metadata)));
  EXPECT_LE(details.ByteSizeLong(), 4096u);
  ASSERT_EQ(details.details_size(), 1);
  google::rpc::ErrorInfo info;
  ASSERT_TRUE(details.details(0).UnpackTo(&info));
  EXPECT_EQ(info.reason(), "UNSATISFIABLE");
  EXPECT_EQ(info.domain(), "benchwire");
}

}  // namespace
}  // namespace benchwire::rpc
