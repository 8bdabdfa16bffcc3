// Package dice scores the segmentation of kidneys and their tumours: the DICE coefficients of KiTS19 from the payloads
// of an accuracy log, equal to the official script.
//
// In: payloads of an accuracy log and the label volumes of the data set.
// Out: reading logs, volumes and affines, which is the caller's work; other segmentations than background (0), kidney
// (1) and tumour (2).
package dice
