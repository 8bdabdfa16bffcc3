// Package scenes draws pictures of several objects with their true boxes, the data set of the embedded detection model.
//
// A scene contains one to eight objects of [Classes] classes on a textured background with clutter. Objects measure
// from a tenth to four fifths of the picture's short side. Some are partly hidden by others or cut off by the picture's
// edge. One scene in seven also contains a crowd, many small objects of one class annotated as one box.
//
// In scope: pictures and their boxes, the same bytes on every machine. Out of scope: the files of the official layout
// (package export), training.
package scenes
