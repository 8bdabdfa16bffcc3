// Package bfcl reads the single-turn part of the Berkeley Function-Calling Leaderboard v4: a folder of bfcl-eval, whose
// files hold a question, functions and possible answers in each line, or the table that the endpoints harness makes of
// it. It takes samples of each subset as that harness does, and makes tools of the descriptions of functions.
//
// In: reading, checking, taking a part. Out: grading answers (package accuracy/bfcl), asking servers.
package bfcl
