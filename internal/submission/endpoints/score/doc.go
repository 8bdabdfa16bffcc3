// Package score scores accuracy runs of MLPerf Endpoints' points, made by this program's own client. It assigns the
// rows of a file to the official client's data sets, determines how often each row is sent, and computes the scores of
// that client's scorers.
//
// In scope: data sets, truths and prompts of rows, texts of answers. Out of scope: reading the file and sending
// requests (package drive), the file of scores (formats/endpoints).
package score
