// What a bench measured: figures with their spread, as a table for people and as JSON for scripts.
#ifndef BENCHWIRE_TESTS_BENCH_WIRE_FIGURES_H_
#define BENCHWIRE_TESTS_BENCH_WIRE_FIGURES_H_

#include <string>
#include <vector>

namespace benchwire::bench {

// Middle of `values`, the mean of the two middle ones where their number is even. `values` is not empty.
double Median(std::vector<double> values);
// Smallest of `values` that `share` (0 to 1] of them do not exceed. `values` is not empty.
double Quantile(std::vector<double> values, double share);

struct Figure {
  std::string name;
  std::string unit;
  std::vector<double> rounds;  // One value a round, at least one.
  std::string how;
  std::string aim;  // Empty: none.
  std::string reference_name;
  double reference = 0;  // Counts where reference_name is set.
};

class Report {
 public:
  void Add(Figure figure) { figures_.push_back(std::move(figure)); }
  std::string Table() const;
  // {"figures":[…]} with a line for each figure.
  std::string Json() const;

 private:
  std::vector<Figure> figures_;
};

}  // namespace benchwire::bench

#endif  // BENCHWIRE_TESTS_BENCH_WIRE_FIGURES_H_
