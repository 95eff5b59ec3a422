#include <csignal>

#include "host/cli/app.hpp"

int main(int argc, char** argv) {
  std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is an error of write(), which is reported
  return heddle::run_app(argc, argv);
}
