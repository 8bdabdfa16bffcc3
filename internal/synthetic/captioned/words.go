package captioned

import (
	"fmt"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/draw"
)

// colors are the colours of figures and backgrounds.
var colors = [...]struct {
	name  string
	color draw.Color
}{
	{"red", draw.Color{R: 210, G: 45, B: 40}},
	{"orange", draw.Color{R: 240, G: 140, B: 35}},
	{"yellow", draw.Color{R: 240, G: 220, B: 60}},
	{"green", draw.Color{R: 45, G: 150, B: 65}},
	{"blue", draw.Color{R: 45, G: 85, B: 205}},
	{"purple", draw.Color{R: 135, G: 55, B: 165}},
	{"white", draw.Color{R: 240, G: 240, B: 240}},
	{"black", draw.Color{R: 25, G: 25, B: 28}},
}

// sizes are names of sizes, and radii in pixels.
var sizes = [...]struct {
	name   string
	radius int
}{{"small ", 7}, {"", 11}, {"big ", 15}}

// relations describe the position of the first of two figures, and the direction from the middle to the second.
var relations = [...]struct {
	name        string
	column, row int
}{
	{"to the left of", 1, 0}, {"to the right of", -1, 0}, {"above", 0, 1}, {"below", 0, -1},
}

// places are the names of positions, by row and column.
var places = [3][3]string{
	{"at the top left", "at the top", "at the top right"},
	{"on the left", "in the middle", "on the right"},
	{"at the bottom left", "at the bottom", "at the bottom right"},
}

// shape is an outline.
type shape int

const (
	circle shape = iota
	square
	triangle
	star
	heart
	ring
	cross
	moon
	shapes = iota
)

func (s shape) String() string {
	return [shapes]string{"circle", "square", "triangle", "star", "heart", "ring", "cross", "moon"}[s]
}

func (f figure) String() string {
	article := "a"
	if sizes[f.size].name == "" && strings.HasPrefix(colors[f.color].name, "o") {
		article = "an"
	}
	return fmt.Sprintf("%s %s%s %v", article, sizes[f.size].name, colors[f.color].name, f.shape)
}

// orders is the number of forms of a caption.
const orders = 3

func (s *scene) caption() string {
	ground := colors[s.background].name + " background"
	article := "a"
	if strings.HasPrefix(ground, "o") {
		article = "an"
	}
	seen := fmt.Sprintf("%v %s", s.figures[0], places[s.figures[0].row][s.figures[0].column])
	if len(s.figures) == 2 {
		seen = fmt.Sprintf("%v %s %v", s.figures[0], relations[s.relation].name, s.figures[1])
	}
	text := fmt.Sprintf("%s, on %s %s.", seen, article, ground)
	switch s.order {
	case 1:
		text = fmt.Sprintf("on %s %s, %s.", article, ground, seen)
	case 2:
		text = fmt.Sprintf("there is %s, and the background is %s.", seen, colors[s.background].name)
	}
	return strings.ToUpper(text[:1]) + text[1:]
}
