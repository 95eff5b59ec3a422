#include <fcntl.h>

#include <csignal>
#include <initializer_list>

#include "host/commands/app.hpp"

namespace {

/// Where one of the three standard streams is closed, the next file that is opened would take its place, and messages
/// would be written into results. Standard output stays one that cannot be written to, which is noticed.
void keep_standard_streams() {
  for (const int stream : {0, 1, 2}) {
    if (::fcntl(stream, F_GETFD) < 0) (void)::open("/dev/null", stream == 2 ? O_WRONLY : O_RDONLY);
  }
}

}  // namespace

int main(int argc, char** argv) {
  keep_standard_streams();
  std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is an error of write(), which is reported
  return heddle::run_app(argc, argv);
}
