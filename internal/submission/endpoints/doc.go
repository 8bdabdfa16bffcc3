// Package endpoints has the rules of MLPerf Endpoints, whose result is a curve: the throughput of a system over what a
// user sees, at 7 to 32 concurrencies. What is particular to a round is in its file (endpoints-1.0.json).
//
// In: the regions of concurrencies, cohorts, seed sets, bounds of accuracy. Out: power (power), files and findings
// (check).
package endpoints
