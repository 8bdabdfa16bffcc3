package streets

import "github.com/plumbline-ml/plumbline/internal/draw"

// material is the material of a surface. It determines the lidar's echo and the class of pixels.
type material uint8

const (
	asphalt material = iota
	paving
	grass
	sky
	brick
	fence
	post
	board
	leaves
	cloth
	riding // cloth of a cyclist
	metal
	bicycle
	wood
)

// echo returns the intensity and the elongation of a material's points, in units of 1/255.
func (m material) echo() (intensity, elongation int) {
	switch m {
	case asphalt:
		return 28, 0
	case paving:
		return 48, 0
	case grass:
		return 40, 60
	case leaves:
		return 56, 110
	case brick, fence:
		return 100, 10
	case post, board:
		return 225, 0
	case metal:
		return 165, 5
	default:
		return 85, 15
	}
}

// class returns the number of Cityscapes' training class.
func (h hit) class() uint8 {
	return [...]uint8{
		asphalt: 0, paving: 1, grass: 9, sky: 10, brick: 3, fence: 4, post: 5, board: 7, leaves: 8, cloth: 11, riding: 12,
		metal: 13, bicycle: 18, wood: 4,
	}[h.material()]
}

// material returns the material at a hit: the solid's or the ground's.
func (h hit) material() material {
	if h.solid != nil {
		return h.look.material
	}
	return h.ground
}

// look is the appearance of a solid.
type look struct {
	material    material
	base, trim  draw.Color
	glass       bool // it has a car's windows
	grain, cell int  // strength (in 1/256) and width of the texture
	seed        uint64
}

// newLook returns a look of one colour.
func newLook(r *draw.Random, m material, base draw.Color, grain, cell int) look {
	return look{material: m, base: base, trim: base, grain: grain, cell: cell, seed: r.Uint64()}
}

func carLook(r *draw.Random) look {
	l := newLook(r, metal, draw.HSV(r.IntBelow(draw.HueCircle), r.IntBelow(230), r.IntBetween(60, 250)), 12, metre)
	l.trim = draw.HSV(r.IntBelow(draw.HueCircle), r.IntBelow(60), r.IntBetween(20, 60))
	return l
}

// windows returns the look of the upper half of a car.
func (l look) windows() look {
	l.glass = true
	return l
}

func binLook(r *draw.Random) look {
	m := []material{leaves, fence, wood}[r.IntBelow(3)]
	base := draw.HSV(r.IntBelow(draw.HueCircle), r.IntBetween(0, 200), r.IntBetween(50, 230))
	return newLook(r, m, base, r.IntBetween(10, 80), metre/6)
}

func poleLook(r *draw.Random) look {
	return newLook(r, post, draw.HSV(r.IntBelow(draw.HueCircle), r.IntBelow(60), r.IntBetween(60, 200)), 20, metre/2)
}

func signLook(r *draw.Random) look {
	hue := []int{0, 256, 960}[r.IntBelow(3)] // red, yellow or blue
	return newLook(r, board, draw.HSV(hue, r.IntBetween(150, 255), r.IntBetween(140, 255)), 20, metre/4)
}

func blockLook(r *draw.Random) look {
	if r.Chance(50) {
		return newLook(r, leaves, draw.HSV(r.IntBetween(350, 620), r.IntBetween(90, 220), r.IntBetween(50, 150)), 110,
			metre/6)
	}
	return newLook(r, wood, draw.HSV(r.IntBelow(draw.HueCircle), r.IntBetween(30, 200), r.IntBetween(70, 220)), 50,
		metre/3)
}

func wallLook(r *draw.Random) look {
	m := []material{brick, fence}[r.IntBelow(2)]
	return newLook(r, m, draw.HSV(r.IntBelow(draw.HueCircle), r.IntBelow(160), r.IntBetween(70, 220)), r.IntBetween(30,
		90), metre/3)
}

// Parts of a person.
const (
	thing = iota // the pushed object or the bicycle
	legs
	torso
	head
	parts
)

// personLooks draws the looks of a person's parts. A cyclist usually wears red to yellow and a pale helmet, and rides a
// dark bicycle with a bright frame. A pedestrian wears any other colour, has hair, and pushes a pale object.
func personLooks(r *draw.Random, rides bool) [parts]look {
	dark := draw.HSV(r.IntBelow(draw.HueCircle), r.IntBelow(100), r.IntBetween(30, 110))
	if rides {
		bright := draw.HSV(r.IntBetween(-60, 300), r.IntBetween(150, 250), r.IntBetween(150, 255))
		wheels := newLook(r, bicycle, draw.HSV(r.IntBelow(draw.HueCircle), r.IntBelow(60), r.IntBetween(15, 60)), 20, metre/4)
		wheels.trim = draw.HSV(r.IntBelow(draw.HueCircle), r.IntBetween(120, 255), r.IntBetween(150, 250))
		return [parts]look{
			thing: wheels,
			legs:  newLook(r, riding, dark, 20, metre/4),
			torso: newLook(r, riding, bright, 30, metre/4),
			head:  newLook(r, riding, draw.HSV(r.IntBetween(0, 300), r.IntBelow(130), r.IntBetween(200, 255)), 10, metre/4),
		}
	}
	dull := draw.HSV(r.IntBetween(380, 1400), r.IntBetween(40, 220), r.IntBetween(70, 230))
	return [parts]look{
		thing: newLook(r, cloth, draw.HSV(r.IntBelow(draw.HueCircle), r.IntBelow(60), r.IntBetween(140, 220)), 25, metre/3),
		legs:  newLook(r, cloth, dark, 20, metre/4),
		torso: newLook(r, cloth, dull, 30, metre/4),
		head:  newLook(r, cloth, draw.HSV(r.IntBetween(40, 200), r.IntBetween(60, 150), r.IntBetween(40, 190)), 10, metre/4),
	}
}

// groundLook contains the colours of ground and sky.
type groundLook struct {
	asphalt, paving, grass, line, zenith, horizon draw.Color
	seed                                          uint64
}

func newGround(r *draw.Random) groundLook {
	grey := r.IntBetween(60, 120)
	return groundLook{
		asphalt: draw.Color{R: grey, G: grey, B: grey + r.IntBetween(0, 10)},
		paving:  draw.HSV(r.IntBetween(100, 300), r.IntBelow(50), r.IntBetween(120, 200)),
		grass:   draw.HSV(r.IntBetween(300, 560), r.IntBetween(70, 180), r.IntBetween(70, 150)),
		line:    draw.HSV(200, r.IntBelow(80), r.IntBetween(190, 250)),
		zenith:  draw.HSV(r.IntBetween(860, 980), r.IntBelow(190), r.IntBetween(140, 250)),
		horizon: draw.HSV(900, r.IntBelow(40), r.IntBetween(190, 250)),
		seed:    r.Uint64(),
	}
}

// color returns the colour at a hit.
func (w *world) color(h hit) draw.Color {
	switch {
	case h.solid != nil:
		return h.look.color(h)
	case h.ground != sky:
		return w.groundColor(h)
	}
	return w.ground.horizon.Mix(w.ground.zenith, min(h.slope*400/unit, draw.Unit))
}

// surface returns the material of the ground at a position.
func (w *world) surface(at plane) material {
	aside := w.street.toBody(at).y
	switch aside = max(aside, -aside); {
	case aside < w.road:
		return asphalt
	case aside < w.road+2*metre:
		return paving
	}
	return grass
}

func (w *world) groundColor(h hit) draw.Color {
	p := w.street.toBody(plane{h.x, h.y})
	color := [...]draw.Color{asphalt: w.ground.asphalt, paving: w.ground.paving, grass: w.ground.grass}[h.ground]
	if max(p.y, -p.y) < metre/12 && p.x&(4*metre-1) < 2*metre {
		color = w.ground.line
	}
	return color.Scale(draw.Unit + cellNoise(w.ground.seed, 24, p.x/(metre/3), p.y/(metre/3), 0))
}

// shade returns the brightness of a face, in 1/256.
func (f face) shade() int {
	return [...]int{end: 205, flank: 235, curved: 220, top: 256, bottom: 120}[f]
}

// color returns the colour of the solid at a hit.
func (l look) color(h hit) draw.Color {
	p := h.axis.toBody(plane{h.x, h.y}.subtract(h.at))
	level := cameraHeight + h.slope*h.away>>16
	color := l.base
	switch {
	case l.glass && h.side != top && level > h.low+metre/12 && level < h.high-metre/12:
		color = l.trim
	case l.material == metal && !l.glass && level < h.low+metre/6:
		color = l.trim
	case l.material == bicycle && level > h.high/2 && max(p.x, -p.x) < h.half.x/2:
		color = l.trim
	}
	return color.Scale(h.side.shade() + cellNoise(l.seed, l.grain, p.x/l.cell, p.y/l.cell, level/l.cell))
}

// cellNoise returns a number from -most to most for a cell of space.
func cellNoise(seed uint64, most, x, y, z int) int {
	return draw.NewRandom(seed, uint64(x), uint64(y), uint64(z)).IntBetween(-most, most)
}
