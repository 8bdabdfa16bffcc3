// A thread of the official LoadGen as a coroutine: it runs on a stack of its own, on the thread that resumes it, up to its
// next call of the SUT or the QSL. What it calls is then done in Go, and the coroutine resumed. So the library calls
// nothing in Go, which is slow, and no thread of it sleeps while an answer is awaited.
#ifndef PLUMBLINE_OFFICIAL_COROUTINE_H_
#define PLUMBLINE_OFFICIAL_COROUTINE_H_

#include "shim/shim.h"

enum { OFFICIAL_ENDED, OFFICIAL_ISSUE, OFFICIAL_FLUSH, OFFICIAL_LOAD, OFFICIAL_UNLOAD };

typedef struct official_coroutine official_coroutine;

// official_call is what a coroutine waits for.
typedef struct {
  int64_t kind;
  official_sample *samples;  // to issue, until the coroutine is resumed
  size_t *indices;           // to load or unload, as long
  size_t count;              // of them
  char *fault;               // of a test that has ended: NULL, or what went wrong, to be freed by the caller
} official_call;

// official_coroutine_new makes a coroutine that runs test; of NULL it is a thread lent to the test that is under way. NULL:
// there is no memory. The strings of test must outlive it.
official_coroutine *official_coroutine_new(const official_loadgen *library, const official_test *test);
// official_resume lets a coroutine go on, on any thread, to its next call, which it keeps until the next official_resume.
const official_call *official_resume(official_coroutine *c);
// official_coroutine_free frees one that has ended.
void official_coroutine_free(official_coroutine *c);

#endif
