// Package result computes a submission's results: the metric of each scenario folder with its unit, the accuracy, the
// values inferred for another scenario, and the rows of the summary in several forms.
//
// In scope: numbers of logs, rounds of the rules. Out of scope: whether a result may be submitted (packages check and
// official/checker), power logs (package power).
package result
