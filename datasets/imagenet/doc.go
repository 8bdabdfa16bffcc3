// Package imagenet reads image-classification data sets in the layout of the ImageNet validation set:
//
//	DIR/val_map.txt    lines "name label", separated by white space; label is 0 to 999
//	DIR/name           the pictures
//
// In scope: finding and checking pictures and labels. Out of scope: decoding and preprocessing pictures.
package imagenet
