// Package results shows the figures of a submission to MLPerf Endpoints, point by point, as a table, CSV, JSON, and the
// bundle that the official visualizer reads. Figures are those of the whole run, which the official tools derive from
// result_summary.json. Unknown figures are not shown as 0.
//
// In scope: the folder of a submission, the rules. Out of scope: judging it, pages.
package results
