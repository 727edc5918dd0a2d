#include "clients/cli/app.h"

int main(int argc, char** argv) { return benchwire::cli::RunCommandLine(argc, argv); }
