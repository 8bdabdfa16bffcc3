// Package entropy scores streamed recommendation (dlrm-v3). It computes normalized entropy, accuracy, and the area
// under the ROC curve within each request (GAUC) from the payloads of an accuracy log. The figures equal those of the
// official script and of the torchrec metrics that it calls.
//
// In scope: payloads of an accuracy log, which contain predictions, labels and weights. Out of scope: reading logs.
package entropy
