// Package bfcl scores function calls made by models: the single-turn part of the Berkeley Function-Calling Leaderboard
// v4, graded like bfcl-eval and aggregated like the endpoints harness.
//
// Calls have one of three forms: a server's merged calls in JSON, a JSON list, or, if the server has no parser for its
// model's calls, text in Python's syntax.
//
// In scope: the text of an answer, descriptions of functions, possible answers. Out of scope: reading data sets, asking
// servers.
package bfcl
