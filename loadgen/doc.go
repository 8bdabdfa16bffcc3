// Package loadgen generates the load of a machine-learning inference benchmark and judges the run.
//
// It is compatible with MLPerf Inference's LoadGen: from the same settings and the same four seeds it loads, orders and
// schedules the same samples at the same times, writes the same four log files and gives the same verdict for the same
// latencies. StartTest returns an error if the official program crashes, hangs or hides a mistake.
//
// In: the four scenarios, the test modes, sequences, pacing, recording, early stopping, verdicts, logs.
// Out: models, data sets, accuracy metrics, processes and networks. The package needs the standard library only.
//
// A program implements [SUT] and [QSL], fills in [TestSettings] (package mlconf reads them from configuration
// files and the rules' embedded defaults) and calls [StartTest].
package loadgen
