// Package dice scores segmentations from the payloads of an accuracy log: kidneys and their tumours ([VolumeScorer]),
// and the three regions of brain tumours ([HeadScorer]). The results equal those of the official scripts.
//
// In scope: payloads of an accuracy log and the label volumes of the data set. Out of scope: reading logs, volumes and
// affines (the caller); label sets other than background (0), kidney (1) and tumour (2), or background (0), oedema (1),
// non-enhancing (2) and enhancing tumour (3).
package dice
