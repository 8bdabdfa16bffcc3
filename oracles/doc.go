// Package oracles holds tests that compare code of this project with libraries that do the same in another way. They
// are a module of their own, so that nobody else needs the libraries.
//
// In: the Pillow resize beside disintegration/imaging, the area under the ROC curve beside gonum.
// Out: equality with the reference itself, which the golden tests of each package show.
package oracles
