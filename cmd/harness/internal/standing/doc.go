// Package standing ranks a run among published results: its place, its neighbours, which results are comparable, and
// how the results changed from round to round. It writes a ranking as text, JSON, CSV and a page.
//
// In scope: trees of results of any number of rounds, read like harness submission results; the user's own runs. Out of
// scope: whether a run may be submitted. The user's own run is never called a published result.
package standing
