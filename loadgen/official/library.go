//go:build officialloadgen && cgo

package official

/*
#cgo linux LDFLAGS: -ldl
#cgo noescape official_hand_in
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "shim/shim.h"

typedef void (*official_hand)(official_response *, size_t);
static void official_hand_in(official_hand to, official_response *r, size_t n) { to(r, n); }
static void official_abandon(const official_loadgen *l) { l->abandon(); }

// official_file makes a file in memory, where there are such, and gives the path by which this process may open it.
static int official_file(char *path, size_t size) {
#ifdef __linux__
  int fd = memfd_create("official-loadgen", MFD_CLOEXEC);
  snprintf(path, size, "/proc/self/fd/%d", fd);
#else
  const char *folder = getenv("TMPDIR");
  snprintf(path, size, "%s/official-loadgen-XXXXXX", folder != NULL ? folder : P_tmpdir);
  int fd = mkstemp(path);
#endif
  return fd;
}

// official_open opens a fresh copy of a library, with variables of its own. Its file stays open: a path by which
// another one was opened would give that one again.
static const official_loadgen *official_open(const char *bytes, size_t size, char **fault) {
  char path[1024];
  int fd = official_file(path, sizeof path);
  while (fd >= 0 && size > 0) {
    ssize_t n = write(fd, bytes, size);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) break;
    bytes += n;
    size -= (size_t)n;
  }
  if (fd < 0 || size > 0) {
    *fault = strdup(strerror(errno));
    return NULL;
  }
#ifdef __GLIBC__
  mallopt(M_ARENA_MAX, 1);  // an arena of a thread's own grows page by page; the library makes blocks by the million
#endif
  void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
#ifndef __linux__
  unlink(path);
#endif
  const official_loadgen *(*get)(int) = NULL;
  if (handle != NULL) *(void **)(&get) = dlsym(handle, "plumbline_official_loadgen");
  if (get == NULL) {
    *fault = strdup(dlerror());
    return NULL;
  }
  const official_loadgen *library = get(OFFICIAL_ABI);
  if (library == NULL) *fault = strdup("it was built for another version of the harness: build it again");
  return library;
}
*/
import "C"

import (
	"fmt"
	"os"
	"unsafe"
)

// BuiltIn reports whether this program can run the official LoadGen.
const BuiltIn = true

// Library is an official LoadGen. It is safe for concurrent use and can run several tests at a time.
type Library struct {
	code  []byte // of the library's file; each test loads its own copy with fresh variables
	build Build
}

// Open reads the library at path and asks it for a description of its sources.
func Open(path string) (*Library, error) {
	code, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrLibrary, err)
	}
	if len(code) == 0 {
		return nil, fmt.Errorf("%w: %s is empty", ErrLibrary, path)
	}
	l := &Library{code: code}
	loaded, err := l.load()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if l.build, err = parseBuild(C.GoString(loaded.build)); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return l, nil
}

// Build returns the description of the library's sources.
func (l *Library) Build() Build { return l.build }

// load opens a copy of the library.
func (l *Library) load() (*C.official_loadgen, error) {
	var fault *C.char
	loaded := C.official_open((*C.char)(unsafe.Pointer(unsafe.SliceData(l.code))), C.size_t(len(l.code)), &fault)
	if loaded == nil {
		defer C.free(unsafe.Pointer(fault))
		return nil, fmt.Errorf("%w: %s", ErrLibrary, C.GoString(fault))
	}
	return loaded, nil
}

// completeSamples passes responses to a loaded library. list must not be empty.
func completeSamples(loaded *C.official_loadgen, list []C.official_response) {
	C.official_hand_in(loaded.complete, &list[0], C.size_t(len(list)))
}

func completeFirstTokens(loaded *C.official_loadgen, list []C.official_response) {
	C.official_hand_in(loaded.first_tokens, &list[0], C.size_t(len(list)))
}

func abandon(loaded *C.official_loadgen) { C.official_abandon(loaded) }
