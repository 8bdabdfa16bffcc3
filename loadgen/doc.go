// Package loadgen generates the load of a machine-learning inference benchmark and judges the run.
//
// It is compatible with MLPerf Inference's LoadGen. From the same settings and the same four seeds it loads and issues
// the same samples in the same order and at the same times. It writes the same four log files and returns the same
// verdict for the same latencies. In cases in which the official program crashes, hangs or hides a mistake, StartTest
// returns an error.
//
// In scope: the four scenarios, the test modes, sequences, pacing, recording, early stopping, verdicts, logs. Out of
// scope: models, data sets, accuracy metrics, processes and networks. The package imports only the standard library.
//
// A program implements [SUT] and [QSL], fills in [TestSettings] (package mlconf reads them from configuration
// files and the rules' embedded defaults) and calls [StartTest].
package loadgen
