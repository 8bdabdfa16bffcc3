// Package synthetic generates the project's own data sets of labelled samples, so that every benchmark runs without a
// file or download.
//
// A sample depends only on the seed of its set and on its index, and its bytes are the same on every machine. Training,
// calibration and evaluation sets have different seeds.
//
// In scope: pictures for image classification ([ImageSet]). Out of scope: reading data sets from files, preprocessing.
package synthetic
