// Package series keeps a run's measurements over time in a file of up to a megabyte for any number of queries: thinned
// lines of latencies that keep their peaks, histograms that count every value, and rates. It needs no other package of
// the harness, so that a report or a comparison can be made anywhere.
package series
