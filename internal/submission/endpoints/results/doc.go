// Package results says what a submission to MLPerf Endpoints shows: the figures of each curve's points, as a table, as
// CSV, as JSON, and as the bundle that the official visualizer reads. Figures are those of the whole run, as the
// official tools derive them from result_summary.json; what is not known is not 0.
//
// In: the folder of a submission, the rules. Out: judging it, pages.
package results
