// Package steady finds the steady part of a run of a server under a fixed number of requests at a time, as the client
// of MLPerf Endpoints does: by super-passes, groups of as many requests, in the order of their issue, as the data set
// has samples.
//
// The first super-passes are cropped as ramp. A plateau is a row of four or more of the rest in which the times per
// output token (TPOT) at the 50th and 90th percentile have no trend and little scatter. The first plateau that is long
// enough is the window: its figures are those of the point. A later plateau at another level is an anomaly.
//
// In: super-passes (Pass), or the client's events.jsonl (ReadEvents). Out: which requests a run makes (serving), and
// the rules' minimum times of a point (submission).
package steady
