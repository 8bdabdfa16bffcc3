/* What pacing alone costs on this machine: a loop that sleeps until each query of a schedule is due and answers it at
 * once, by doing nothing.
 *
 *     cc -O2 -o sleep sleep.c -lm && ./sleep 10000 2
 *
 * Arguments: queries per second, seconds. The gaps are exponential, as in LoadGen's Server schedule. Prints the share
 * of one core that the process used, and how late the loop was.
 */
#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

static int by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void sleep_until(double due) {
  struct timespec t = {(time_t)due, (long)(1e9 * (due - floor(due)))};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) != 0) {
  }
}

int main(int argc, char **argv) {
  double rate = argc == 3 ? atof(argv[1]) : 0, seconds = argc == 3 ? atof(argv[2]) : 0;
  if (rate <= 0 || seconds <= 0) {
    fprintf(stderr, "usage: sleep QUERIES_PER_SECOND SECONDS, both above 0\n");
    return 2;
  }
  size_t queries = (size_t)ceil(rate * seconds);
  double *late = calloc(queries, sizeof *late);
  if (late == NULL) {
    fprintf(stderr, "sleep: no memory for %zu delays\n", queries);
    return 1;
  }
  srand48(1);
  double start = now(), due = start;
  for (size_t i = 0; i < queries; i++) {
    due -= log(1 - drand48()) / rate;
    if (due > now()) {
      sleep_until(due);
    }
    late[i] = now() - due;
  }
  double wall = now() - start;
  struct rusage used;
  getrusage(RUSAGE_SELF, &used);
  double cpu = (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
               1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
  qsort(late, queries, sizeof *late, by_value);
  printf("%.0f queries/s: %.1f %% of a core, late by %.1f us (median), %.1f us (99th percentile)\n",
         (double)queries / wall, 100 * cpu / wall, 1e6 * late[queries / 2], 1e6 * late[queries * 99 / 100]);
  free(late);
  return 0;
}
