package captioned

import "github.com/plumbline-ml/plumbline/internal/draw"

// scene is the content of a picture.
type scene struct {
	figures    []figure // one, or two
	background int      // colour of the background
	relation   int      // position of the second of two figures relative to the first
	order      int      // order of the caption's parts
}

// figure is a figure in a scene.
type figure struct {
	shape  shape
	color  int
	size   int // of sizes
	column int // 0 to 2, left to right
	row    int // 0 to 2, top to bottom
}

func newScene(r *draw.Random) *scene {
	s := &scene{background: r.IntBelow(len(colors)), order: r.IntBelow(orders)}
	first := s.drawFigure(r)
	if r.Chance(60) {
		first.column, first.row = r.IntBelow(3), r.IntBelow(3)
		s.figures = []figure{first}
		return s
	}
	second := s.drawFigure(r)
	s.relation = r.IntBelow(len(relations))
	along := relations[s.relation]
	first.column, first.row = 1-along.column, 1-along.row
	second.column, second.row = 1+along.column, 1+along.row
	s.figures = []figure{first, second}
	return s
}

// drawFigure draws a figure of another colour than the background.
func (s *scene) drawFigure(r *draw.Random) figure {
	color := (s.background + r.IntBetween(1, len(colors)-1)) % len(colors)
	return figure{shape: shape(r.IntBelow(shapes)), color: color, size: r.IntBelow(len(sizes))}
}
