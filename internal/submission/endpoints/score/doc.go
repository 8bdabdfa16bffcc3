// Package score scores the accuracy runs that this program's own client makes of points of MLPerf Endpoints: which rows
// of a file are of which data set of the official client, how often each is asked, and what that client's scorers say
// of the answers.
//
// In: data sets, truths and prompts of rows, texts of answers. Out: reading the file and asking (package drive), the
// file of scores (formats/endpoints).
package score
