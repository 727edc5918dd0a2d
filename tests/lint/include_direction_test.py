#!/usr/bin/env python3
"""Tests of check_include_direction.py on made-up sources."""

import unittest

import unit
from check_include_direction import violations


class IncludeDirection(unittest.TestCase):
    """Each test includes one header from one file."""

    def allowed(self, path: str, *targets: str) -> None:
        for target in targets:
            self.assertEqual([], violations(path, f'#include "{target}"\n'))

    def refused(self, path: str, *targets: str) -> None:
        for target in targets:
            for line in (f'#include "{target}"\n', f"#include <{target}>\n", f"  # include <{target}>\n"):
                self.assertEqual(1, len(violations(path, line)), f"{path} includes {target}")

    def test_layers_look_down(self) -> None:
        self.allowed("server/base/a.cc", "benchwire/v1/job.pb.h", "server/base/b.h", "absl/status/status.h")
        self.allowed("storage/a.cc", "server/base/b.h", "storage/b.h", "soci/soci.h")
        self.allowed("server/core/a.cc", "storage/b.h")
        self.allowed("server/rpc/a.cc", "server/core/b.h", "benchwire/v1/job_service.grpc.pb.h")
        self.allowed("server/gateway/a.cc", "server/rpc/b.h", "grpcpp/grpcpp.h")
        self.allowed("server/main.cc", "server/gateway/b.h", "storage/b.h", "server/options.h")

    def test_layers_do_not_look_up(self) -> None:
        self.refused("server/base/a.cc", "storage/b.h", "server/core/b.h", "server/options.h")
        self.refused("storage/a.h", "server/core/b.h")
        self.refused("server/core/a.cc", "server/rpc/b.h")
        self.refused("server/rpc/a.cc", "server/gateway/b.h", "server/options.h")

    def test_the_core_is_free_of_grpc_and_sql(self) -> None:
        self.refused("server/core/a.cc", "grpcpp/grpcpp.h", "benchwire/v1/job_service.grpc.pb.h", "soci/soci.h")
        self.refused("server/base/a.h", "grpc/grpc.h", "sqlite3.h")
        self.refused("storage/a.h", "grpcpp/grpcpp.h")

    def test_runners_stand_alone(self) -> None:
        self.allowed("workers/p2p/a.cc", "workers/kit/b.h", "workers/p2p/b.h", "nlohmann/json.hpp", "CLI/CLI.hpp")
        self.refused("workers/p2p/a.cc", "server/base/b.h", "clients/cpp/b.h", "workers/agent/b.h", "workers/nas/b.h")
        self.refused("workers/nas/a.cu", "absl/status/status.h", "grpcpp/grpcpp.h", "benchwire/v1/job.pb.h")
        self.refused("workers/kit/a.h", "workers/p2p/b.h", "server/base/b.h", "absl/strings/str_cat.h")

    def test_agent_and_command_line_are_clients(self) -> None:
        for path in ("workers/agent/a.cc", "clients/cli/a.cc"):
            self.allowed(path, "benchwire/v1/job.pb.h", "server/base/b.h", "clients/cpp/b.h", "grpcpp/grpcpp.h")
            self.refused(path, "server/core/b.h", "storage/b.h", "workers/p2p/b.h", "workers/kit/b.h")
        self.refused("clients/cpp/a.h", "clients/cli/b.h", "workers/agent/b.h")

    def test_statistics_is_the_only_exception(self) -> None:
        self.allowed("server/core/a.cc", "workers/kit/statistics.h")
        self.refused("server/core/a.cc", "workers/kit/event_writer.h")
        self.refused("server/rpc/a.cc", "workers/kit/statistics.h")

    def test_tests_may_include_anything_and_nobody_tests(self) -> None:
        self.allowed("tests/unit/core/a_test.cc", "server/core/b.h", "tests/fakes/fake_clock.h")
        self.refused("server/core/a.cc", "tests/fakes/fake_clock.h")

    def test_a_neighbour_is_named_by_its_path_from_the_root(self) -> None:
        self.assertEqual(1, len(violations("server/base/clock.cc", '#include "clock.h"\n')))

    def test_says_where(self) -> None:
        found = violations("storage/a.cc", '// a\n\n#include <vector>\n#include "server/core/b.h"\n')
        self.assertTrue(found[0].startswith("storage/a.cc:4: server/core/b.h: storage may include only "))


if __name__ == "__main__":
    unit.main()
