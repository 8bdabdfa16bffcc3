// Package auc scores recommendation models: it computes the area under the ROC curve and the accuracy of predicted
// clicks from the payloads of an accuracy log. The results equal those of the official DLRM script and of scikit-learn,
// which the script calls.
//
// In scope: payloads of an accuracy log and, if these contain no labels, the labels of the data set. Out of scope:
// reading logs and data sets (the caller).
package auc
