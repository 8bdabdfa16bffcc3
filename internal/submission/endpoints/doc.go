// Package endpoints contains the rules of MLPerf Endpoints, in which a result is a curve: a system's throughput over
// what a user sees, at 7 to 32 concurrencies. Each round has its own file (endpoints-1.0.json).
//
// In: the regions of concurrencies, cohorts, seed sets, bounds of accuracy. Out: power (power), files and findings
// (check).
package endpoints
