package scenes

// class is the class of an object.
//
// Taxi and sedan, and goldfish and trout, differ only in colour. Swapping red and blue exchanges them, so the accuracy
// reveals a reader that swaps channels.
type class int

const (
	house class = iota
	tree
	taxi
	sedan
	goldfish
	trout
	boat
	flower
	walker
	kite
	classes = iota
)

// Classes is the number of classes.
const Classes = classes

// ClassName returns the name of a class: "house". c must be in [0, Classes).
func ClassName(c int) string {
	return [...]string{"house", "tree", "taxi", "sedan", "goldfish", "trout", "boat", "flower", "walker", "kite"}[c]
}

// hues returns the first and the last hue of a class, in draw's units: red 0, green 512, blue 1024. Swapping red and
// blue turns hue h into 1024 - h.
func (c class) hues() (first, last int) {
	switch c {
	case taxi, goldfish:
		return -20, 230
	case sedan, trout:
		return 1024 - 230, 1024 + 20
	case tree:
		return 360, 664
	default:
		return 0, 1535
	}
}
