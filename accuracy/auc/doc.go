// Package auc scores recommendation: the area under the ROC curve and the accuracy of predicted clicks, from the
// payloads of an accuracy log, equal to the official DLRM script and to the scikit-learn that it calls.
//
// In scope: payloads of an accuracy log and, if these contain no labels, the labels of the data set. Out of scope:
// reading logs and data sets (the caller).
package auc
