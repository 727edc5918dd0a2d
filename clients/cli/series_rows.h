// Points of series as rows for programs: tab-separated, CSV (RFC 4180, but lines end with LF) or JSON.
#ifndef BENCHWIRE_CLIENTS_CLI_SERIES_ROWS_H_
#define BENCHWIRE_CLIENTS_CLI_SERIES_ROWS_H_

#include <benchwire/v1/job_service.pb.h>

#include <functional>
#include <map>
#include <string>

#include "absl/status/status.h"
#include "clients/cli/session.h"

namespace benchwire::cli {

enum class RowFormat { kTabs, kCsv, kJson };

class SeriesRows {
 public:
  SeriesRows(Session& session, RowFormat format) : session_(session), format_(format) {}

  // Writes all points of a series, or what at most `buckets` buckets keep of them where that is not 0, in the order of
  // their steps. A longer series is asked for in parts.
  absl::Status Write(const std::string& series, int buckets);
  // Writes the points that came since the last call, for the same name: those with a step not before the last one
  // written. `now` is what the server says of it. An outage of the server is waited for. A note tells where other
  // points were left out.
  absl::Status WriteNew(const v1::Series& now);

 private:
  // How far a series was written.
  struct Written {
    int64_t count = 0;
    int64_t last_step = 0;
    int64_t at_last_step = 0;
  };

  absl::StatusOr<v1::SeriesData> Ask(const v1::GetSeriesRequest& request, bool wait_for_server);
  // Asks for a range of steps, in halves where it holds too many points, and gives each part to `take`.
  absl::Status ForEachPart(v1::GetSeriesRequest request, bool wait_for_server,
                           const std::function<absl::Status(v1::SeriesData&)>& take);
  absl::Status Print(const v1::SeriesData& data);

  Session& session_;
  const RowFormat format_;
  bool header_written_ = false;
  bool late_noted_ = false;
  std::map<std::string, Written> written_;
};

}  // namespace benchwire::cli

#endif  // BENCHWIRE_CLIENTS_CLI_SERIES_ROWS_H_
