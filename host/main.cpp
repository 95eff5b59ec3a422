#include <fcntl.h>

#include <csignal>
#include <initializer_list>

#include "host/commands/app.hpp"

namespace {

/// Reopens closed standard streams: otherwise the next opened file would take their place, and messages would be
/// written into results. Standard output stays unwritable, which is reported.
void keep_standard_streams() {
  for (const int stream : {0, 1, 2}) {
    if (::fcntl(stream, F_GETFD) < 0) (void)::open("/dev/null", stream == 2 ? O_WRONLY : O_RDONLY);
  }
}

}  // namespace

int main(int argc, char** argv) {
  keep_standard_streams();
  std::signal(SIGXFSZ, SIG_IGN);  // a write() beyond the file size limit then fails, which is reported
  return heddle::run_app(argc, argv);
}
