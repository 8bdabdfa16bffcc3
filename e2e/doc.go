// Package e2e tests the built binaries, by theme:
//
//   - e2e/runs: what harness run, tune, compare, report and suites do with the built-in benchmarks
//   - e2e/models: every model on files in the official forms (its door), cards, data sets, bad input, scores
//   - e2e/plugins: plugins and backends of others: harness new, verify and trust, vendors' modules, Python, C++
//   - e2e/serving: servers of models: harness bench, the Network division, shares of one load
//   - e2e/submission: audits, and submissions from their runs to the tree that is checked
//   - e2e/faults: what breaks in mid-run: kills, signals, hangs, disks, links, lost files, plugins and servers
//   - e2e/docs: pages whose commands are run as they stand there
//
// The binaries are built once for all of them, into bin/e2e/ (internal/built). What several packages need lies below
// internal/: harness (processes), testfile, results, mock (servers), faulty (runs of the faulty plugin), page, python.
package e2e
