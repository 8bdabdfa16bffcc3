package synthetic

// ImageClasses is the number of classes.
//
// A picture's class is that of its subject, the largest object. Ten outlines occur in warm and in cool colours.
// Swapping red and blue exchanges these classes, so the accuracy reveals a reader that swaps channels. Disc and
// ellipse, and square and rectangle, differ only in proportion, so the accuracy reveals a resize that does not keep it.
// Five fine patterns occur on any outline in any colour, which reveals aliasing.
const ImageClasses = 2*shapeClasses + patternClasses

// shape is the outline of an object.
type shape int

const (
	disc shape = iota
	ellipse
	ring
	square
	rectangle
	triangle
	star
	cross
	crescent
	heart
	shapeClasses = iota
)

// palette is the range of hues of a plain object.
type palette int

const (
	warm palette = iota
	cool
)

// pattern is the pattern on an object's surface.
type pattern int

const (
	striped pattern = iota
	checked
	dotted
	ringed
	spoked
	patternClasses = iota
	plain          = pattern(-1)
)

// look contains the properties of an object that its class determines.
type look struct {
	shape   shape
	palette palette
	pattern pattern
}
