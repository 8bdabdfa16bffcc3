// Package series stores a run's measurements over time in a file of up to a megabyte, whatever the number of queries.
// The file contains downsampled latencies with their peaks, histograms that count every value, and rates. The package
// imports no other package of the harness, so any program can use it for reports and comparisons.
package series
