// measure COMMAND…: runs a command and says on file descriptor 3 (else on standard error) what it
// took:
// {"wall_s", "user_s", "system_s", "peak_mb", "status"}. Debian's bare system has no /usr/bin/time.
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>

namespace {

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 2) {
    fmt::print(stderr, "usage: measure COMMAND…\n");
    return 2;
  }
  const auto began = std::chrono::steady_clock::now();
  const pid_t child = fork();
  if (child == 0) {
    close(3);
    execvp(arguments[1], arguments + 1);
    std::perror(arguments[1]);
    _exit(127);
  }
  int status = 0;
  rusage usage{};
  if (child < 0 || wait4(child, &status, 0, &usage) < 0) {
    std::perror("measure");
    return 1;
  }
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - began;
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  const std::string text = fmt::format(
      "{{\"wall_s\": {:.6f}, \"user_s\": {:.6f}, \"system_s\": {:.6f}, \"peak_mb\": {:.3f}, "
      "\"status\": {}}}\n",
      wall.count(), seconds(usage.ru_utime), seconds(usage.ru_stime),
      static_cast<double>(usage.ru_maxrss) / 1024, code);
  if (write(3, text.data(), text.size()) < 0) fmt::print(stderr, "{}", text);
  return code;
}
