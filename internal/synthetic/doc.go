// Package synthetic draws the project's own data sets: labelled samples made by code, so that every benchmark runs
// with no file and no download.
//
// A sample depends on the seed of its set and its index alone, and its bytes are the same on every machine. Training,
// calibration and evaluation sets have different seeds.
//
// In: pictures for image classification ([ImageSet]).
// Out: reading data sets from files, preprocessing.
package synthetic
