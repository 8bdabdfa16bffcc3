// Package coco scores object detection: it computes the twelve COCO numbers and the average precision of each category
// from the payloads of an accuracy log. The results equal those of the official COCO and OpenImages scripts and of the
// COCO evaluation that they call (pycocotools).
//
// In scope: payloads of an accuracy log, and the images, categories and boxes of the data set. Out of scope: reading
// logs and annotation files (the caller); masks and keypoints.
package coco
