// A gRPC server set up like the product's whose one method does nothing: what a call costs before it does any work.
#ifndef BENCHWIRE_TESTS_BENCH_WIRE_EMPTY_SERVER_H_
#define BENCHWIRE_TESTS_BENCH_WIRE_EMPTY_SERVER_H_

namespace benchwire::bench {

// Serves FleetService.GetWorker with an empty worker, says `grpc=PORT` on standard output and ends at SIGTERM. The exit
// status of the process.
int RunEmptyServer();

}  // namespace benchwire::bench

#endif  // BENCHWIRE_TESTS_BENCH_WIRE_EMPTY_SERVER_H_
