// A line through points as text: braille dots, or stars where the terminal takes ASCII only, with numbers at the axes.
// Pure.
#ifndef BENCHWIRE_CLIENTS_CLI_PLOT_H_
#define BENCHWIRE_CLIENTS_CLI_PLOT_H_

#include <benchwire/v1/job_service.pb.h>
#include <google/protobuf/repeated_field.h>

#include <string>

namespace benchwire::cli {

struct PlotOptions {
  int columns = 80;  // Of the whole, axes included.
  int rows = 15;     // Of the plot, without the line of steps below it.
  bool unicode = true;
};

// Dots across the plot of so many columns: more buckets than this show nothing more.
int PlotDots(const PlotOptions& options);

// Lines, each ended by a line break. The points are in the order of their steps and finite; there is at least one.
std::string RenderPlot(const google::protobuf::RepeatedPtrField<v1::SeriesPoint>& points, const PlotOptions& options);

// A number with at most five significant digits.
std::string AxisNumber(double value);

// Whether text in UTF-8 is shown, by the first of LC_ALL, LC_CTYPE and LANG that is set.
bool IsUtf8Locale();

}  // namespace benchwire::cli

#endif  // BENCHWIRE_CLIENTS_CLI_PLOT_H_
