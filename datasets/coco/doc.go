// Package coco reads detection data sets in the layout of COCO's validation set of 2017:
//
//	DIR/annotations/instances_val2017.json    images, categories, annotations: boxes in pixels
//	DIR/val2017/name                          the pictures
//
// and of its subset of safe licences, whose pictures lie in DIR/val2017_safe, which it chooses too. OpenImages
// reads the validation set of OpenImages, in a layout of its own.
//
// In: finding and checking pictures, categories and boxes.
// Out: decoding pictures; masks and keypoints; scoring.
package coco
