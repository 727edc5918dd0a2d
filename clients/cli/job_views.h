// Jobs, attempts and measurements as text for people and rows for programs.
#ifndef BENCHWIRE_CLIENTS_CLI_JOB_VIEWS_H_
#define BENCHWIRE_CLIENTS_CLI_JOB_VIEWS_H_

#include <benchwire/v1/job.pb.h>
#include <benchwire/v1/measurement.pb.h>
#include <google/protobuf/map.h>

#include <string>

#include "clients/cli/output.h"
#include "clients/cli/table.h"
#include "server/base/clock.h"

namespace benchwire::cli {

// `RUNNING` for JOB_STATE_RUNNING.
std::string StateText(v1::JobState state);
std::string StateText(v1::AttemptState state);
// `CODE: words`.
std::string ReasonText(const v1::Reason& reason);
// `dst=gpu:1 src=gpu:0`, by key.
std::string LabelsText(const google::protobuf::Map<std::string, std::string>& labels);

Table JobTable();
void AddJob(Table& table, const v1::Job& job, WallTime server_now);

Table MeasurementTable();
void AddMeasurement(Table& table, const v1::Measurement& measurement);

// Everything about a job but its measurements.
void PrintJob(Output& out, const v1::Job& job, WallTime server_now);

}  // namespace benchwire::cli

#endif  // BENCHWIRE_CLIENTS_CLI_JOB_VIEWS_H_
