// Package spreadsheet makes of a summary.csv what the official final report is made of: a list of results for the web
// page, the numbers of systems, and the tables of each suite and division as cells.
//
// In: the official summary, numbers given before. Out: the summary itself (packages result and official/checker),
// spreadsheet files: tables are written as CSV.
package spreadsheet
