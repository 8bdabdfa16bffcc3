// Package scenes draws pictures of several objects with their true boxes: the data set of the embedded detection model.
//
// A scene holds one to eight objects of [Classes] classes on a textured ground among clutter, from a tenth to four
// fifths of the picture's short side, some hidden in part by others or cut off by the picture's edge. One in seven
// holds a crowd as well: many small objects of one class, annotated as one box.
//
// In: drawing pictures and saying what they show, the same bytes on every machine.
// Out: the files of the official layout (package export), training.
package scenes
