// Package coco reads detection data sets in the layout of COCO's validation set of 2017:
//
//	DIR/annotations/instances_val2017.json    images, categories, annotations: boxes in pixels
//	DIR/val2017/name                          the pictures
//
// It also selects and reads the subset of safe licences, with pictures in DIR/val2017_safe. OpenImages reads the
// validation set of OpenImages, which has a different layout.
//
// In scope: finding and checking pictures, categories and boxes. Out of scope: decoding pictures; masks and keypoints;
// scoring.
package coco
