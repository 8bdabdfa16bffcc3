//go:build officialloadgen

#undef _FORTIFY_SOURCE  // its longjmp refuses to change stacks
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#ifdef __APPLE__
#define _XOPEN_SOURCE 700  // ucontext
#define _DARWIN_C_SOURCE
#endif
#include "coroutine.h"

#include <setjmp.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>

struct official_coroutine {
  const official_loadgen *library;
  official_test test;
  int lent;  // to a test that is under way
  void *stack;
  int started;
  jmp_buf inside, outside;
  official_call call;
};

// The memory of a stack is taken as it is used. Its last page is not accessible.
enum { STACK = 8 << 20, GUARD = 1 << 16 };

static __thread official_coroutine *resumed;

// leave ends official_resume with a call, and returns when the coroutine is resumed: perhaps on another thread.
static void leave(official_call call) {
  official_coroutine *c = resumed;
  c->call = call;
  if (_setjmp(c->inside) == 0) _longjmp(c->outside, 1);
}

static void issue(uintptr_t run, official_sample *samples, size_t count) {
  leave((official_call){.kind = OFFICIAL_ISSUE, .samples = samples, .count = count});
}
static void flush(uintptr_t run) { leave((official_call){.kind = OFFICIAL_FLUSH}); }
static void load(uintptr_t run, size_t *indices, size_t count) {
  leave((official_call){.kind = OFFICIAL_LOAD, .indices = indices, .count = count});
}
static void unload(uintptr_t run, size_t *indices, size_t count) {
  leave((official_call){.kind = OFFICIAL_UNLOAD, .indices = indices, .count = count});
}

static const official_callbacks calls = {issue, flush, load, unload};

static void body(void) {
  official_coroutine *c = resumed;
  char *fault = NULL;
  if (c->lent) {
    c->library->issue_thread();
  } else {
    fault = c->library->start(0, &calls, &c->test);
  }
  leave((official_call){.kind = OFFICIAL_ENDED, .fault = fault});
}

official_coroutine *official_coroutine_new(const official_loadgen *library, const official_test *test) {
  official_coroutine *c = calloc(1, sizeof *c);
  if (c == NULL) return NULL;
  c->stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (c->stack == MAP_FAILED || mprotect(c->stack, GUARD, PROT_NONE) != 0) {
    free(c);
    return NULL;
  }
  c->library = library;
  c->lent = test == NULL;
  if (test != NULL) c->test = *test;
  return c;
}

// begin starts a coroutine on its stack.
static void begin(official_coroutine *c) {
  ucontext_t context;
  getcontext(&context);
  context.uc_stack.ss_sp = c->stack;
  context.uc_stack.ss_size = STACK;
  context.uc_link = NULL;
  makecontext(&context, body, 0);
  setcontext(&context);
}

const official_call *official_resume(official_coroutine *c) {
  resumed = c;
  if (_setjmp(c->outside) == 0) {
    if (c->started) _longjmp(c->inside, 1);
    c->started = 1;
    begin(c);
  }
  return &c->call;
}

void official_coroutine_free(official_coroutine *c) {
  munmap(c->stack, STACK);
  free(c);
}
