// Package standing ranks a run among published results: which place it would have, who is next to it, what is
// comparable and what is not, and how the results went from round to round. It shows a ranking as text, JSON, CSV and a
// page.
//
// In: trees of results of any number of rounds, read as harness submission results reads them; runs of one's own.
// Out: whether a run may be submitted. A run of one's own is never called a published result.
package standing
