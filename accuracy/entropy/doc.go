// Package entropy scores streamed recommendation (dlrm-v3): normalized entropy, accuracy, and the area under the ROC
// curve within each request (GAUC), from the payloads of an accuracy log, equal to the official script and the metrics
// of torchrec that it calls.
//
// In: payloads of an accuracy log, which hold predictions, labels and weights. Out: reading logs.
package entropy
