package products

// thing is the object in a picture.
type thing int

const (
	mug thing = iota
	bottle
	plate
	lamp
	chair
	table
	shirt
	trousers
	hat
	kite
	ball
	car
	things = iota
)

// pattern is the pattern on the object.
type pattern int

const (
	plain pattern = iota
	striped
	dotted
	patterns = iota
)

// Categories is the number of categories: category c is thing c/3 with pattern c%3.
const Categories = things * patterns

// departments are the first levels of categories; each contains three things.
var departments = [things / 3]string{"Kitchen", "Furniture", "Clothing", "Toys"}

var thingNames = [things]string{
	"Mugs", "Bottles", "Plates", "Lamps", "Chairs", "Tables", "Shirts", "Trousers", "Hats", "Kites", "Balls", "Cars",
}

var patternNames = [patterns]string{"Plain", "Striped", "Dotted"}

// CategoryName returns the name of category c: "Kitchen > Mugs > Striped Mugs".
func CategoryName(c int) string {
	name := thingNames[c/patterns]
	return departments[c/patterns/3] + " > " + name + " > " + patternNames[c%patterns] + " " + name
}
