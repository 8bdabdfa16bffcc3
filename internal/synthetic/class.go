package synthetic

// ImageClasses is the number of classes.
//
// A picture's class is that of its subject, the largest object. Ten outlines occur in warm and in cool colours: these
// are each other's image when red and blue are swapped, so that a reader that swaps channels fails. Disc and ellipse,
// square and rectangle differ in proportion alone, so that a resize that does not keep it fails. Five fine patterns
// occur on any outline in any colour, so that aliasing shows.
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

// pattern is what covers an object.
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

// look is what a class fixes of an object.
type look struct {
	shape   shape
	palette palette
	pattern pattern
}
