// benchwire workers …
#include <benchwire/v1/worker.pb.h>

#include <memory>

#include "clients/cli/commands.h"
#include "clients/cli/exit_codes.h"
#include "clients/cli/facts.h"
#include "clients/cli/job_views.h"
#include "clients/cli/names.h"
#include "clients/cli/units.h"
#include "server/base/status.h"

namespace benchwire::cli {
namespace {

std::string StateText(v1::WorkerState state) { return v1::WorkerState_Name(state).substr(sizeof("WORKER_STATE_") - 1); }

template <typename Items, typename Name>
std::string Joined(const Items& items, Name name) {
  std::string out;
  for (const auto& item : items) out += (out.empty() ? "" : ", ") + name(item);
  return out;
}

std::string Kinds(const v1::Inventory& inventory) {
  return Joined(inventory.runners(), [](const v1::RunnerDescription& runner) { return runner.kind(); });
}

std::string GpuCount(const v1::Inventory& inventory) {
  int count = 0;
  int lost = 0;
  for (const v1::Device& device : inventory.devices()) {
    if (device.kind() != v1::DEVICE_KIND_GPU) continue;
    ++count;
    if (!device.healthy()) ++lost;
  }
  return std::to_string(count) + (lost > 0 ? " (" + std::to_string(lost) + " lost)" : "");
}

absl::StatusOr<int> List(Session& session) {
  Table table({{"WORKER"},
               {"STATE"},
               {"CPUS", true},
               {"MEMORY", true},
               {"GPUS", true},
               {"KINDS", false, true},
               {"JOBS", true},
               {"SEEN"}});
  absl::Status printed;
  RETURN_IF_ERROR(session.fleet().List([&](const v1::Worker& worker) {
    if (session.json()) {
      printed = session.PrintJson(worker);
    } else {
      const v1::Inventory& inventory = worker.inventory();
      const WallTime seen = FromProto(worker.last_seen_time());
      table.Add(
          {Cell(LastSegment(worker.name()), worker.name()), StateText(worker.state()), std::to_string(inventory.cpus()),
           Cell(Bytes(inventory.memory_bytes()), std::to_string(inventory.memory_bytes())), GpuCount(inventory),
           Kinds(inventory), std::to_string(worker.jobs_size()), Cell(Ago(seen, session.ServerNow()), Rfc3339(seen))});
    }
    return printed.ok() && session.out().ok();
  }));
  RETURN_IF_ERROR(printed);
  if (!session.json() && table.empty() && session.out().terminal()) {
    session.Note("No worker has registered. `benchwire-worker` on a machine makes it one.");
  } else if (!session.json()) {
    session.Print(table);
  }
  return kExitOk;
}

void PrintDevices(Output& out, const v1::Inventory& inventory) {
  if (!inventory.devices().empty()) {
    PrintHeading(out, "Devices");
    Table table({{"ID", false, true}, {"MODEL"}, {"MEMORY", true}, {"PCI"}, {"NUMA", true}, {"HEALTH", false, true}});
    for (const v1::Device& device : inventory.devices()) {
      table.Add({device.id(), device.model(), Cell(Bytes(device.memory_bytes()), std::to_string(device.memory_bytes())),
                 device.pci_address(), device.numa_node() >= 0 ? std::to_string(device.numa_node()) : "",
                 device.healthy() ? "ok" : "lost: " + device.unhealthy_reason()});
    }
    out.Write(table.Render(out.width()));
  }
  if (!inventory.device_links().empty()) {
    PrintHeading(out, "Links");
    Table table({{"FIRST"}, {"SECOND"}, {"CLASS"}, {"NVLINKS", true}});
    for (const v1::DeviceLink& link : inventory.device_links()) {
      table.Add({link.first(), link.second(), v1::LinkClass_Name(link.link_class()).substr(sizeof("LINK_CLASS_") - 1),
                 std::to_string(link.nvlinks())});
    }
    out.Write(table.Render(out.width()));
  }
}

void PrintRunners(Output& out, const v1::Inventory& inventory) {
  if (inventory.runners().empty()) return;
  PrintHeading(out, "Runners");
  Table table({{"KIND"}, {"VERSION"}, {"BACKENDS"}, {"MISSING", false, true}});
  for (const v1::RunnerDescription& runner : inventory.runners()) {
    table.Add({runner.kind(), runner.version(), Joined(runner.backends(), [](const std::string& name) { return name; }),
               LabelsText(runner.unavailable_backends())});
  }
  out.Write(table.Render(out.width()));
}

absl::Status Print(Session& session, const v1::Worker& worker) {
  if (session.json()) return session.PrintJson(worker);
  const v1::Inventory& inventory = worker.inventory();
  Output& out = session.out();
  const std::string numa = Joined(inventory.numa_nodes(), [](const v1::NumaNode& node) {
    return std::to_string(node.id()) + ": CPUs " + node.cpus() + ", " + Bytes(node.memory_bytes());
  });
  PrintFacts(out, {{"worker", worker.name()},
                   {"state", StateText(worker.state())},
                   {"sick until", worker.has_sick_until_time() ? Rfc3339(FromProto(worker.sick_until_time())) : ""},
                   {"seen", Ago(FromProto(worker.last_seen_time()), session.ServerNow())},
                   {"jobs", Joined(worker.jobs(), [](const std::string& name) { return name; })},
                   {"host", inventory.hostname()},
                   {"system", inventory.operating_system()},
                   {"kernel", inventory.kernel()},
                   {"architecture", inventory.architecture()},
                   {"virtualization", inventory.virtualization()},
                   {"cpu", inventory.cpu_model()},
                   {"cpus", std::to_string(inventory.cpus())},
                   {"memory", Bytes(inventory.memory_bytes())},
                   {"numa nodes", numa},
                   {"labels", LabelsText(inventory.labels())},
                   {"nvidia driver", inventory.nvidia_driver()},
                   {"gpu error", inventory.gpu_error()}});
  PrintDevices(out, inventory);
  PrintRunners(out, inventory);
  return absl::OkStatus();
}

enum class What { kShow, kDrain, kResume };

absl::StatusOr<int> Act(Session& session, const std::string& text, What what) {
  ASSIGN_OR_RETURN(const std::string name, WorkerArgument(text));
  client::FleetClient& fleet = session.fleet();
  ASSIGN_OR_RETURN(const v1::Worker worker, what == What::kDrain    ? fleet.Drain(name)
                                            : what == What::kResume ? fleet.Resume(name)
                                                                    : fleet.Get(name));
  if (what == What::kShow || session.json()) {
    RETURN_IF_ERROR(Print(session, worker));
  } else {
    session.out().Line(name + " " + StateText(worker.state()));
  }
  return kExitOk;
}

void AddOne(CLI::App& group, CommandLine& line, const std::string& name, const std::string& description, What what) {
  auto worker = std::make_shared<std::string>();
  CLI::App* command = AddCommand(group, name, description, "  benchwire workers " + name + " node-1");
  command->add_option("worker", *worker, "The worker, `workers/W` or W alone")->required()->type_name("W");
  command->callback([&line, worker, what] {
    line.action = [worker, what](Session& session) { return Act(session, *worker, what); };
  });
}

}  // namespace

void AddWorkers(CLI::App& root, CommandLine& line) {
  CLI::App* group = AddGroup(root, "workers", "Look at the machines that run jobs, and take them out of service");
  CLI::App* ls = AddCommand(*group, "ls", "List workers by name", "  benchwire workers ls");
  ls->callback([&line] { line.action = List; });
  AddOne(*group, line, "show", "One worker and what its machine has", What::kShow);
  AddOne(*group, line, "drain", "Let a worker finish what it has and give it no more", What::kDrain);
  AddOne(*group, line, "resume", "End a drain, or the time for which a sick worker gets no jobs", What::kResume);
}

}  // namespace benchwire::cli
