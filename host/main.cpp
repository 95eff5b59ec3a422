#include "host/cli/app.hpp"

int main(int argc, char** argv) { return heddle::run_app(argc, argv); }
