// Package coco2014 reads the inputs and the reference data of the text-to-image benchmark on COCO-2014:
//
//	DIR/captions/captions.tsv                     one caption in each row: sample i is row i
//	DIR/latents/latents.npy, else latents.pt      float32: the latent that every picture starts from
//	val2014.npz                                   mean and covariance of the features of the real pictures
//
// In scope: finding and checking these files. Out of scope: pictures; tokens; scoring.
package coco2014

import "errors"

// ErrDataset is what every error of this package is: a data set that is missing or wrong.
var ErrDataset = errors.New("captions, latents or statistics of COCO-2014")
