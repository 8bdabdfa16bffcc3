// Package endpoints contains the rules of MLPerf Endpoints, in which a result is a curve of a system's throughput over
// the speed for each user, at 7 to 32 concurrencies. Each round has its own file (endpoints-1.0.json).
//
// In scope: the regions of concurrencies, cohorts, seed sets, bounds of accuracy. Out of scope: power (power), files
// and findings (check).
package endpoints
