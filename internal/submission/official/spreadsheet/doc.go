// Package spreadsheet makes the tables of the official final report from a summary.csv: the web page's list of results,
// the numbers of systems, and the tables of each suite and division as cells.
//
// In scope: the official summary, numbers assigned earlier. Out of scope: the summary itself (packages result and
// official/checker), spreadsheet files (tables are written as CSV).
package spreadsheet
