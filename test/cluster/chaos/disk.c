/*
 * For the processes of a server: while its directory has the file "disk-stopped", each write and flush waits. Not for more
 * than ten seconds: a test that was killed leaves the file behind.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

static void wait_for_disk(void) {
  struct stat file;
  while (stat("disk-stopped", &file) == 0 && time(NULL) - file.st_mtime < 10) usleep(10000);
}

#define DELAY(result, name, parameters, arguments) \
  result name parameters { \
    static result (*original) parameters; \
    if (!original) original = (result (*) parameters) dlsym(RTLD_NEXT, #name); \
    wait_for_disk(); \
    return original arguments; \
  }

DELAY(int, fsync, (int file), (file))
DELAY(int, fdatasync, (int file), (file))
DELAY(ssize_t, pwrite, (int file, const void *bytes, size_t count, off_t at), (file, bytes, count, at))
DELAY(ssize_t, pwritev, (int file, const struct iovec *parts, int count, off_t at), (file, parts, count, at))
