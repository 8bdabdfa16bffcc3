// Package bfcl scores function calls made by models. It covers the single-turn part of the Berkeley Function-Calling
// Leaderboard v4, grades answers like bfcl-eval and aggregates grades like the endpoints harness.
//
// Calls have one of three forms: the server's parsed calls as JSON, a JSON list, or text in Python syntax (if the
// server does not parse its model's calls).
//
// In scope: the text of an answer, descriptions of functions, possible answers. Out of scope: reading data sets and
// sending requests to servers.
package bfcl
