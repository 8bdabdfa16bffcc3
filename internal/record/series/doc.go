// Package series keeps what a run measured over time in a file of at most a megabyte, whatever the number of queries:
// lines of latencies, thinned so that their peaks stay, histograms that count every value, and rates. It needs no other
// package of the harness, so that a report or a comparison can be made anywhere.
package series
