/* The lowest layer of SingleStream: a loop in C over ONNX Runtime's own interface, one run after the other.
 *
 *     cc -O2 -o infer infer.c -ldl -I "$(cd ../../backends/ort && go list -m -f '{{.Dir}}' github.com/yalue/onnxruntime_go)"
 *     ./infer LIBRARY MODEL THREADS RUNS
 *
 * LIBRARY is a libonnxruntime.so at least as new as the header. The model has one float32 input, whose dimensions of
 * unknown size are taken as 1; its first output is asked for. Prints the mean and percentiles of the runs' times.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

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

int main(int argc, char **argv) {
  int threads = argc == 5 ? atoi(argv[3]) : 0, runs = argc == 5 ? atoi(argv[4]) : 0;
  if (threads < 1 || runs < 1) {
    fprintf(stderr, "usage: infer LIBRARY MODEL THREADS RUNS\n");
    return 2;
  }
  ort = open_library(argv[1]);
  OrtSession *session = open_session(argv[2], threads);
  const OrtValue *input = make_input(session);
  OrtAllocator *allocator;
  char *in, *out;
  check(ort->GetAllocatorWithDefaultOptions(&allocator));
  check(ort->SessionGetInputName(session, 0, allocator, &in));
  check(ort->SessionGetOutputName(session, 0, allocator, &out));
  double *took = calloc((size_t)runs, sizeof *took), sum = 0;
  for (int i = -20; took != NULL && i < runs; i++) { /* the first 20 warm up */
    OrtValue *output = NULL;
    double start = now();
    check(ort->Run(session, NULL, (const char *const *)&in, &input, 1, (const char *const *)&out, 1, &output));
    if (i >= 0) {
      took[i] = now() - start;
      sum += took[i];
    }
    ort->ReleaseValue(output);
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
