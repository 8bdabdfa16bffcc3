package ort

/*
#cgo linux LDFLAGS: -ldl
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

// The two members of OrtApiBase, and the entries of OrtApi that list the providers. Both tables belong to ONNX
// Runtime's stable ABI: entries are only ever appended.
typedef struct {
  const void *(*get_api)(unsigned version);
  const char *(*version)(void);
} api_base;

typedef struct {
  void *before[125];
  void *(*available_providers)(char ***names, int *count);
  void *(*release_providers)(char **names, int count);
} api_table;

// Where it returns NULL, the caller frees error: dlerror's own text is gone with the next call.
static const api_base *plumbline_api_base(const char *path, char **error) {
  void *library = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
  if (!library) {
    *error = strdup(dlerror());
    return NULL;
  }
  const api_base *(*entry)(void) = (const api_base *(*)(void)) dlsym(library, "OrtGetApiBase");
  if (!entry) {
    *error = strdup(dlerror());
    dlclose(library);
    return NULL;
  }
  return entry();
}

static const char *plumbline_version(const api_base *base) { return base->version(); }

// Neither call fails: ONNX Runtime only copies a list that was fixed when it was built.
static char **plumbline_providers(const api_base *base, unsigned version, int *count) {
  const api_table *api = (const api_table *) base->get_api(version);
  char **names = NULL;
  *count = 0;
  if (api) api->available_providers(&names, count);
  return names;
}

static void plumbline_release_providers(const api_base *base, unsigned version, char **names, int count) {
  const api_table *api = (const api_table *) base->get_api(version);
  if (api) api->release_providers(names, count);
}
*/
import "C"

import (
	"fmt"
	"strconv"
	"strings"
	"unsafe"
)

// apiVersion is the version of ONNX Runtime's C API for which the binding is compiled. Release 1.N supports the
// versions up to N.
const apiVersion = 24

// library is a loaded libonnxruntime. It is never unloaded, because its threads may still run.
type library struct {
	path      string
	version   string   // "1.28.2"
	providers []string // with ONNX Runtime's names: "CPUExecutionProvider"
}

// probeLibrary loads the library at path and returns its version and providers. It runs before the binding loads the
// library, because the binding's errors contain neither.
func probeLibrary(path string) (library, error) {
	cPath := C.CString(path)
	defer C.free(unsafe.Pointer(cPath))
	var reason *C.char
	base := C.plumbline_api_base(cPath, &reason)
	if base == nil {
		defer C.free(unsafe.Pointer(reason))
		return library{}, fmt.Errorf("%w cannot be loaded: %s", ErrLibrary, C.GoString(reason))
	}
	lib := library{path: path, version: C.GoString(C.plumbline_version(base))}
	if err := checkVersion(lib); err != nil {
		return lib, err
	}
	var count C.int
	names := C.plumbline_providers(base, apiVersion, &count)
	for _, name := range unsafe.Slice(names, int(count)) {
		lib.providers = append(lib.providers, C.GoString(name))
	}
	C.plumbline_release_providers(base, apiVersion, names, count)
	return lib, nil
}

// checkVersion checks that the library's release supports the API version that the binding needs.
func checkVersion(lib library) error {
	parts := strings.SplitN(lib.version, ".", 3)
	if len(parts) >= 2 {
		major, errMajor := strconv.Atoi(parts[0])
		minor, errMinor := strconv.Atoi(parts[1])
		if errMajor == nil && errMinor == nil && (major > 1 || major == 1 && minor >= apiVersion) {
			return nil
		}
	}
	return fmt.Errorf("%w %s is version %q, want 1.%d or later: the Go binding uses its C API version %d; name another "+
		"with option lib",
		ErrLibrary, lib.path, lib.version, apiVersion, apiVersion)
}
