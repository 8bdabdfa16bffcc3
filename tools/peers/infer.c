/* The lowest layer of SingleStream: a loop in C over ONNX Runtime's own interface, one run after the other.
 *
 *     cc -O2 -o infer infer.c -ldl -I "$(cd ../../backends/ort && go list -m -f '{{.Dir}}' github.com/yalue/onnxruntime_go)"
 *     ./infer LIBRARY MODEL THREADS RUNS
 *
 *     ./infer LIBRARY MODEL THREADS RUNS apart
 *
 * With "apart" a second process issues the runs: the two share a page of memory and wake each other by futexes, as the
 * harness and a plugin do. What that costs is what two processes cost on this machine, whatever they are written in.
 *
 * LIBRARY is a libonnxruntime.so at least as new as the header. The model has one float32 input, whose dimensions of
 * unknown size are taken as 1; its first output is asked for. Prints the mean and percentiles of the runs' times.
 */
#include <dlfcn.h>
#include <linux/futex.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "onnxruntime_c_api.h"

static const OrtApi *ort;

static void check(OrtStatus *status) {
  if (status != NULL) {
    fprintf(stderr, "infer: %s\n", ort->GetErrorMessage(status));
    exit(1);
  }
}

static const OrtApi *open_library(const char *path) {
  void *library = dlopen(path, RTLD_NOW);
  const OrtApiBase *(*base)(void) =
      library == NULL ? NULL : (const OrtApiBase *(*)(void))dlsym(library, "OrtGetApiBase");
  const OrtApi *api = base == NULL ? NULL : base()->GetApi(ORT_API_VERSION);
  if (api == NULL) {
    fprintf(stderr, "infer: %s: want ONNX Runtime with version %d of its interface: %s\n", path, ORT_API_VERSION,
            library == NULL ? dlerror() : "the library is older, or another one");
    exit(1);
  }
  return api;
}

static OrtSession *open_session(const char *model, int threads) {
  OrtEnv *env;
  OrtSessionOptions *options;
  OrtSession *session;
  check(ort->CreateEnv(ORT_LOGGING_LEVEL_WARNING, "infer", &env));
  check(ort->CreateSessionOptions(&options));
  check(ort->SetIntraOpNumThreads(options, threads));
  check(ort->SetSessionGraphOptimizationLevel(options, ORT_ENABLE_ALL));
  check(ort->CreateSession(env, model, options, &session));
  return session;
}

/* A tensor of the shape that the session's first input has, filled with numbers between 0 and 1. */
static OrtValue *make_input(OrtSession *session) {
  OrtTypeInfo *type;
  const OrtTensorTypeAndShapeInfo *info;
  OrtAllocator *allocator;
  OrtValue *value;
  size_t rank, count = 1;
  int64_t shape[16];
  float *data;
  check(ort->SessionGetInputTypeInfo(session, 0, &type));
  check(ort->CastTypeInfoToTensorInfo(type, &info));
  check(ort->GetDimensionsCount(info, &rank));
  if (rank > 16) {
    fprintf(stderr, "infer: the input has %zu dimensions, want at most 16\n", rank);
    exit(1);
  }
  check(ort->GetDimensions(info, shape, rank));
  for (size_t i = 0; i < rank; i++) {
    shape[i] = shape[i] < 1 ? 1 : shape[i];
    count *= (size_t)shape[i];
  }
  check(ort->GetAllocatorWithDefaultOptions(&allocator));
  check(ort->CreateTensorAsOrtValue(allocator, shape, rank, ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, &value));
  check(ort->GetTensorMutableData(value, (void **)&data));
  for (size_t i = 0; i < count; i++) {
    data[i] = (float)drand48();
  }
  return value;
}

static int by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

/* A session with its tensors: what one run needs. */
struct model {
  OrtSession *session;
  const OrtValue *input;
  char *in, *out;
};

static struct model open_model(const char *path, int threads) {
  struct model m;
  OrtAllocator *allocator;
  m.session = open_session(path, threads);
  m.input = make_input(m.session);
  check(ort->GetAllocatorWithDefaultOptions(&allocator));
  check(ort->SessionGetInputName(m.session, 0, allocator, &m.in));
  check(ort->SessionGetOutputName(m.session, 0, allocator, &m.out));
  return m;
}

static void infer(const struct model *m) {
  OrtValue *output = NULL;
  const char *const *in = (const char *const *)&m->in, *const *out = (const char *const *)&m->out;
  check(ort->Run(m->session, NULL, in, &m->input, 1, out, 1, &output));
  ort->ReleaseValue(output);
}

/* How many runs were asked for, and how many were made; each on a cache line of its own. */
struct page {
  _Alignas(64) _Atomic uint32_t asked;
  _Alignas(64) _Atomic uint32_t made;
};

static void set(_Atomic uint32_t *word, uint32_t value) {
  atomic_store(word, value);
  syscall(SYS_futex, word, FUTEX_WAKE, 1, NULL, NULL, 0);
}

static void await(_Atomic uint32_t *word, uint32_t value) {
  uint32_t is;
  while ((is = atomic_load(word)) != value) {
    syscall(SYS_futex, word, FUTEX_WAIT, is, NULL, NULL, 0);
  }
}

/* Starts the process that answers. The session is made in it: threads do not survive a fork. */
static struct page *apart(const char *path, int threads) {
  struct page *p = mmap(NULL, sizeof *p, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  pid_t child = p == MAP_FAILED ? -1 : fork();
  if (child < 0) {
    perror("infer");
    exit(1);
  }
  if (child > 0) {
    return p;
  }
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  struct model m = open_model(path, threads);
  for (uint32_t n = 1;; n++) {
    await(&p->asked, n);
    infer(&m);
    set(&p->made, n);
  }
}

int main(int argc, char **argv) {
  int threads = argc > 4 ? atoi(argv[3]) : 0, runs = argc > 4 ? atoi(argv[4]) : 0;
  int two = argc == 6 && strcmp(argv[5], "apart") == 0;
  if (threads < 1 || runs < 1 || (argc != 5 && !two)) {
    fprintf(stderr, "usage: infer LIBRARY MODEL THREADS RUNS [apart]\n");
    return 2;
  }
  ort = open_library(argv[1]);
  struct page *page = two ? apart(argv[2], threads) : NULL;
  struct model m;
  if (!two) {
    m = open_model(argv[2], threads);
  }
  double *took = calloc((size_t)runs, sizeof *took), sum = 0;
  for (int i = -20; took != NULL && i < runs; i++) { /* the first 20 warm up */
    double start = now();
    if (two) {
      set(&page->asked, (uint32_t)(i + 21));
      await(&page->made, (uint32_t)(i + 21));
    } else {
      infer(&m);
    }
    if (i >= 0) {
      took[i] = now() - start;
      sum += took[i];
    }
  }
  if (took == NULL) {
    fprintf(stderr, "infer: no memory for %d times\n", runs);
    return 1;
  }
  qsort(took, (size_t)runs, sizeof *took, by_value);
  printf("ms: mean %.3f, 50th %.3f, 90th %.3f, 99th percentile %.3f\n", sum / runs, took[runs / 2],
         took[runs * 9L / 10], took[runs * 99L / 100]);
  return 0;
}
