// Pages of jobs. Pure: messages in, HTML out.
#ifndef BENCHWIRE_SERVER_GATEWAY_JOB_PAGE_H_
#define BENCHWIRE_SERVER_GATEWAY_JOB_PAGE_H_

#include <benchwire/v1/job_service.pb.h>

#include <string>

#include "server/gateway/words.h"

namespace benchwire::gateway {

// `/jobs`: one page of the list.
std::string JobsPage(const v1::ListJobsResponse& jobs, Language language);

// `/jobs/J`. `log`: the end of the last attempt's log, as the runner wrote it.
std::string JobPage(const v1::Job& job, const v1::ListMeasurementsResponse& measurements, const std::string& log,
                    Language language);

}  // namespace benchwire::gateway

#endif  // BENCHWIRE_SERVER_GATEWAY_JOB_PAGE_H_
