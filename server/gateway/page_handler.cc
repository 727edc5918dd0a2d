#include "server/gateway/page_handler.h"

#include <benchwire/v1/digest_service.pb.h>
#include <benchwire/v1/job_service.pb.h>

#include "server/base/status.h"
#include "server/gateway/digest_page.h"
#include "server/gateway/job_page.h"
#include "server/gateway/json.h"
#include "server/gateway/page_layout.h"
#include "server/gateway/path_template.h"
#include "server/gateway/url.h"

namespace benchwire::gateway {
namespace {

constexpr char kHtml[] = "text/html; charset=utf-8";
constexpr char kGetDigest[] = "/benchwire.v1.DigestService/GetDigest";
constexpr char kListDigests[] = "/benchwire.v1.DigestService/ListDigests";
constexpr char kGetEdition[] = "/benchwire.v1.DigestService/GetEdition";
constexpr char kGetJob[] = "/benchwire.v1.JobService/GetJob";
constexpr char kListJobs[] = "/benchwire.v1.JobService/ListJobs";
constexpr char kListMeasurements[] = "/benchwire.v1.JobService/ListMeasurements";
constexpr char kReadLog[] = "/benchwire.v1.JobService/ReadLog";
constexpr int kMeasurementsShown = 200;
constexpr int kLogBytesShown = 16 << 10;

}  // namespace

struct PageHandler::Visit {
  HttpRequest request;
  CallOptions options;
  std::shared_ptr<Responder> responder;
  Language language = Language::kBoth;
  int64_t generation = 0;
  v1::ListDigestsResponse digests;
  v1::Job job;
  v1::ListMeasurementsResponse measurements;
};

template <typename Response, typename Request, typename Then>
void PageHandler::Ask(const VisitPtr& visit, const std::string& rpc_path, const Request& request, Then then) {
  rpc_.Call(rpc_path, request, visit->options, [visit, then](const absl::StatusOr<std::string>& bytes) {
    Response response;
    if (!bytes.ok()) {
      SendError(visit, bytes.status());
    } else if (!response.ParseFromString(*bytes)) {
      SendError(visit, absl::InternalError("the answer of a service cannot be read"));
    } else {
      then(std::move(response));
    }
  });
}

void PageHandler::Handle(HttpRequest request, const CallOptions& options, std::shared_ptr<Responder> responder) {
  auto visit = std::make_shared<Visit>();
  visit->language = ParseLanguage(request.query);
  const auto query = ParseQuery(request.query);
  const std::string language_query = LanguageQuery(visit->language);
  // Only the language makes another page; a random query must not push others out of the cache.
  request.query = language_query.empty() ? "" : language_query.substr(1);
  visit->request = std::move(request);
  visit->options = options;
  visit->responder = std::move(responder);
  if (published_.TryRespond(visit->request, *visit->responder)) return;
  visit->generation = published_.generation();
  const auto path = ParsePath(visit->request.path);
  if (!path.ok() || !query.ok()) {
    SendError(visit, path.ok() ? query.status() : path.status());
    return;
  }
  std::string token;
  for (const auto& [name, value] : *query) {
    if (name == "pageToken") token = value;
  }
  const auto& parts = path->segments;
  if (parts.size() == 1 && parts[0].empty()) {
    Home(visit);
  } else if (parts.size() == 2 && parts[0] == "digests") {
    Digest(visit, "digests/" + parts[1]);
  } else if (parts.size() == 4 && parts[0] == "digests" && parts[2] == "editions") {
    Edition(visit, "digests/" + parts[1] + "/editions/" + parts[3]);
  } else if (parts.size() == 1 && parts[0] == "jobs") {
    Jobs(visit, token);
  } else if (parts.size() == 2 && parts[0] == "jobs") {
    Job(visit, "jobs/" + parts[1]);
  } else {
    SendError(visit, absl::NotFoundError("no such page"));
  }
}

void PageHandler::Home(const VisitPtr& visit) {
  v1::ListDigestsRequest list;
  list.set_page_size(100);
  Ask<v1::ListDigestsResponse>(visit, kListDigests, list, [this, visit](v1::ListDigestsResponse digests) {
    visit->digests = std::move(digests);
    for (const v1::Digest& digest : visit->digests.digests()) {
      if (digest.latest_edition() == 0) continue;
      v1::GetDigestRequest get;
      get.set_name(digest.name());
      Ask<v1::Digest>(visit, kGetDigest, get, [this, visit](const v1::Digest& latest) {
        SendPublished(visit, HomePage(&latest, visit->digests, visit->language), kCacheShortly);
      });
      return;
    }
    SendPublished(visit, HomePage(nullptr, visit->digests, visit->language), kCacheShortly);
  });
}

void PageHandler::Digest(const VisitPtr& visit, const std::string& name) {
  v1::GetDigestRequest get;
  get.set_name(name);
  Ask<v1::Digest>(visit, kGetDigest, get, [this, visit](const v1::Digest& digest) {
    SendPublished(visit, DigestPage(digest, visit->language), kCacheShortly);
  });
}

// The edition never changes, but the page around it does with the program.
void PageHandler::Edition(const VisitPtr& visit, const std::string& name) {
  v1::GetEditionRequest get;
  get.set_name(name);
  Ask<v1::Edition>(visit, kGetEdition, get, [this, visit](const v1::Edition& edition) {
    SendPublished(visit, EditionPage(edition, visit->language), "public, max-age=86400");
  });
}

void PageHandler::Jobs(const VisitPtr& visit, const std::string& page_token) {
  v1::ListJobsRequest list;
  list.set_page_size(50);
  list.set_page_token(page_token);
  Ask<v1::ListJobsResponse>(visit, kListJobs, list, [visit](const v1::ListJobsResponse& jobs) {
    SendUncached(visit, JobsPage(jobs, visit->language));
  });
}

void PageHandler::Job(const VisitPtr& visit, const std::string& name) {
  v1::GetJobRequest get;
  get.set_name(name);
  Ask<v1::Job>(visit, kGetJob, get, [this, visit](v1::Job job) {
    visit->job = std::move(job);
    JobMeasurements(visit);
  });
}

void PageHandler::JobMeasurements(const VisitPtr& visit) {
  if (visit->job.state() != v1::JOB_STATE_SUCCEEDED) {
    JobLog(visit);
    return;
  }
  v1::ListMeasurementsRequest list;
  list.set_parent(visit->job.name());
  list.set_page_size(kMeasurementsShown);
  Ask<v1::ListMeasurementsResponse>(visit, kListMeasurements, list, [this, visit](v1::ListMeasurementsResponse rows) {
    visit->measurements = std::move(rows);
    JobLog(visit);
  });
}

void PageHandler::JobLog(const VisitPtr& visit) {
  const v1::Job& job = visit->job;
  if (job.attempts().empty() || job.attempts().rbegin()->log_bytes() == 0) {
    SendUncached(visit, JobPage(job, visit->measurements, "", visit->language));
    return;
  }
  const v1::Attempt& attempt = *job.attempts().rbegin();
  v1::ReadLogRequest read;
  read.set_name(attempt.name());
  read.set_offset(std::max<int64_t>(0, attempt.log_bytes() - kLogBytesShown));
  read.set_max_bytes(kLogBytesShown);
  Ask<v1::LogChunk>(visit, kReadLog, read, [visit](const v1::LogChunk& chunk) {
    SendUncached(visit, JobPage(visit->job, visit->measurements, chunk.data(), visit->language));
  });
}

void PageHandler::SendPublished(const VisitPtr& visit, std::string html, const std::string& cache_control) {
  published_.Respond(visit->request, visit->generation, MakePublicAnswer(std::move(html), kHtml, cache_control),
                     *visit->responder);
}

void PageHandler::SendUncached(const VisitPtr& visit, std::string html) {
  HttpResponse response = MakeResponse(200, kHtml, std::move(html));
  response.headers.emplace_back("Cache-Control", kCacheNever);
  visit->responder->Send(std::move(response));
}

// A name that cannot exist is not found, to a reader of pages.
void PageHandler::SendError(const VisitPtr& visit, const absl::Status& status) {
  const int code = absl::IsInvalidArgument(status) ? 404 : HttpStatus(status.code());
  const PageFrame frame{
      .title = std::to_string(code), .path = visit->request.path, .language = visit->language, .live = ""};
  HttpResponse response = MakeResponse(code, kHtml, ErrorPage(frame, code, std::string(status.message())));
  response.headers.emplace_back("Cache-Control", kCacheNever);
  visit->responder->Send(std::move(response));
}

}  // namespace benchwire::gateway
