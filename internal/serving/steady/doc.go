// Package steady finds the steady part of a run with a fixed number of concurrent requests, like the client of MLPerf
// Endpoints. It divides the requests, in the order of issue, into super-passes. The number of requests in a super-pass
// is the number of samples in the data set.
//
// The first super-passes are removed as ramp-up. A plateau is a sequence of four or more of the remaining super-passes
// in which the 50th and 90th percentile of the time per output token (TPOT) show no trend and little scatter. The first
// plateau that is long enough is the window, and its figures are those of the point. A later plateau at another level
// is an anomaly.
//
// In scope: super-passes (Pass), or the client's events.jsonl (ReadEvents). Out of scope: the requests of a run
// (serving), and the rules' minimum times of a point (submission).
package steady
