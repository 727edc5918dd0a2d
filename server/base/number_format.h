// Numbers as readers see them, everywhere the same: a fitting SI prefix (24.31 GB/s from 2.431e10 B/s) and as many
// digits as the interval deserves. Pure.
#ifndef BENCHWIRE_SERVER_BASE_NUMBER_FORMAT_H_
#define BENCHWIRE_SERVER_BASE_NUMBER_FORMAT_H_

#include <benchwire/v1/measurement.pb.h>

#include <string>

namespace benchwire {

struct Quantity {
  std::string value;       // `24.31`.
  std::string unit;        // `GB/s`; empty for `1`.
  std::string plus_minus;  // `0.12`, the larger half of the interval; empty without one.
  std::string low;         // `24.20`; empty without one.
  std::string high;        // `24.43`; empty without one.
  std::string confidence;  // `95 %`; empty without an interval.

  std::string Text() const { return unit.empty() ? value : value + " " + unit; }
  // `24.20 – 24.43 GB/s`; empty without an interval.
  std::string Range() const { return low.empty() ? "" : low + " – " + high + (unit.empty() ? "" : " " + unit); }
};

// `interval` may be null. Scales rates and sizes by powers of 1000 and times to ns, µs, ms or s. With an interval its
// larger half shows two significant digits, else the value shows four.
Quantity FormatQuantity(double value, const std::string& unit, const v1::Interval* interval);

// A number that somebody wrote, such as a threshold: `20 GB/s`, at most six digits.
std::string FormatValue(double value, const std::string& unit);

}  // namespace benchwire

#endif  // BENCHWIRE_SERVER_BASE_NUMBER_FORMAT_H_
