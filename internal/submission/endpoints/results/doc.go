// Package results shows the figures of a submission to MLPerf Endpoints, point by point, as a table, CSV, JSON, and the
// bundle that the official visualizer reads. Figures are those of the whole run, as the official tools derive them from
// result_summary.json; what is not known is not 0.
//
// In: the folder of a submission, the rules. Out: judging it, pages.
package results
