// Package spreadsheet makes the official final report's tables from a summary.csv: a list of results for the web page,
// the numbers of systems, and the tables of each suite and division as cells.
//
// In: the official summary, numbers given before. Out: the summary itself (packages result and official/checker),
// spreadsheet files: tables are written as CSV.
package spreadsheet
