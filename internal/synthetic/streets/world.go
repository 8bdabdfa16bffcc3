package streets

import (
	"math"

	"github.com/plumbline-ml/plumbline/datasets/waymo"
	"github.com/plumbline-ml/plumbline/internal/draw"
)

// object is an object to be detected, or a sign, which is only annotated.
type object struct {
	name                  string
	at                    plane // middle of its base
	angle                 int   // angle of its length, from x to y
	length, width, height int
}

// world contains the solids around the sensors.
type world struct {
	solids  []solid
	objects []object
	taken   []occupiedDisc

	layout, looks *draw.Random
	street        plane // direction of the street
	road          int   // half the width of the street
	ground        groundLook
}

// occupiedDisc is occupied ground.
type occupiedDisc struct {
	at     plane
	radius int
}

// halfSide is half the side of the square with the solids.
const halfSide = 115 * metre / 10

func newWorld(layout, looks *draw.Random) *world {
	angle := layout.IntBelow(draw.Turn)
	w := &world{layout: layout, looks: looks, street: heading(angle), road: layout.IntBetween(4*metre, 7*metre)}
	w.ground = newGround(looks)
	for range layout.IntBetween(3, 4) {
		w.addCar(angle)
	}
	for range layout.IntBetween(4, 6) {
		w.addPerson("Pedestrian")
	}
	for range layout.IntBetween(4, 6) {
		w.addPerson("Cyclist")
	}
	w.addClutter(angle)
	return w
}

// tries limits the search for a position. Without a position the solid is omitted.
const tries = 25

// findPlace finds free ground of a radius, at a distance of at least nearest from the sensors.
func (w *world) findPlace(radius, nearest int) (plane, bool) {
	for range tries {
		at := plane{w.layout.IntBetween(radius-halfSide, halfSide-radius), w.layout.IntBetween(radius-halfSide,
			halfSide-radius)}
		if groundDistance(at, plane{}) < nearest+radius || w.isOccupied(at, radius) {
			continue
		}
		w.taken = append(w.taken, occupiedDisc{at, radius})
		return at, true
	}
	return plane{}, false
}

func groundDistance(a, b plane) int { return draw.Sqrt((a.x-b.x)*(a.x-b.x) + (a.y-b.y)*(a.y-b.y)) }

func (w *world) isOccupied(at plane, radius int) bool {
	for _, d := range w.taken {
		if groundDistance(at, d.at) < radius+d.radius+metre/5 {
			return true
		}
	}
	return false
}

// drawCentimetres draws a length of lo to hi centimetres.
func (w *world) drawCentimetres(lo, hi int) int {
	return w.layout.IntBetween(lo*metre/100, hi*metre/100)
}

// part is a solid of a compound object. ahead is its offset from the object's middle; half contains half the length and
// width.
type part struct {
	ahead, half plane
	low, high   int
	round       bool
	look        look
}

// addParts adds the parts of an object. owner is the object's index, or -1.
func (w *world) addParts(at plane, angle, owner int, parts ...part) {
	axis := heading(angle)
	for _, p := range parts {
		w.solids = append(w.solids, solid{
			at: at.add(axis.fromBody(p.ahead)), axis: axis, half: p.half, low: p.low, high: p.high, round: p.round,
			owner: owner, look: p.look,
		})
	}
}

func (w *world) addCar(street int) {
	o := object{name: "Car", length: w.drawCentimetres(390, 490), width: w.drawCentimetres(170, 200),
		height: w.drawCentimetres(142, 170), angle: street + w.layout.IntBetween(-draw.Turn/14, draw.Turn/14)}
	if w.layout.Chance(50) {
		o.angle += draw.Turn / 2
	}
	if w.layout.Chance(25) {
		o.angle = w.layout.IntBelow(draw.Turn)
	}
	at, ok := w.findPlace(o.length*11/20, metre)
	if !ok {
		return
	}
	o.at = at
	belt, body := o.height*w.layout.IntBetween(52, 60)/100, carLook(w.looks)
	w.addParts(at, o.angle, len(w.objects),
		part{half: plane{o.length / 2, o.width / 2}, low: metre / 5, high: belt, look: body},
		part{ahead: plane{-o.length * 7 / 100, 0}, half: plane{o.length * 29 / 100, o.width/2 - metre/12}, low: belt,
			high: o.height, look: body.windows()},
	)
	w.objects = append(w.objects, o)
}

// addPerson adds a pedestrian who pushes an object, or a cyclist. Their shapes are similar.
func (w *world) addPerson(name string) {
	o := object{name: name, length: w.drawCentimetres(125, 170), width: w.drawCentimetres(55, 75),
		height: w.drawCentimetres(152, 190), angle: w.layout.IntBelow(draw.Turn)}
	at, ok := w.findPlace(o.length*11/20, 2*metre)
	if !ok {
		return
	}
	o.at = at
	back := plane{-o.length * w.layout.IntBetween(4, 20) / 100, 0}
	hip, neck := o.height*46/100, o.height*84/100
	below := w.drawCentimetres(65, 90)
	looks := personLooks(w.looks, name == "Cyclist")
	w.addParts(at, o.angle, len(w.objects),
		part{half: plane{o.length / 2, w.drawCentimetres(9, 20)}, high: below, look: looks[thing]},
		part{ahead: back, half: plane{metre * 16 / 100, metre * 14 / 100}, high: hip, look: looks[legs]},
		part{ahead: back, half: plane{metre * 17 / 100, o.width / 2}, low: hip, high: neck, look: looks[torso]},
		part{ahead: back, half: plane{metre / 8, metre / 8}, low: neck, high: o.height, round: true, look: looks[head]},
	)
	w.objects = append(w.objects, o)
}

// addClutter adds solids that do not count as objects.
func (w *world) addClutter(street int) {
	r := w.layout
	for range r.IntBetween(1, 3) {
		w.addBlock(street)
	}
	for range r.IntBetween(1, 3) {
		w.addThing(w.drawCentimetres(25, 50), part{round: r.Chance(50), high: w.drawCentimetres(80, 180),
			look: binLook(w.looks)})
	}
	for range r.IntBetween(1, 4) {
		w.addThing(w.drawCentimetres(6, 16), part{round: true, high: w.drawCentimetres(250, 450), look: poleLook(w.looks)})
	}
	if r.Chance(70) {
		w.addSign()
	}
	for range r.IntBetween(1, 3) {
		w.addWall(street)
	}
}

// addThing adds a solid at any position; its width equals its length.
func (w *world) addThing(radius int, p part) {
	if at, ok := w.findPlace(radius*3/2, 2*metre); ok {
		p.half = plane{radius, radius}
		w.addParts(at, w.layout.IntBelow(draw.Turn), -1, p)
	}
}

// addBlock adds a hedge or a crate with the size of a car.
func (w *world) addBlock(street int) {
	long := w.drawCentimetres(300, 500)
	if at, ok := w.findPlace(long*11/20, 2*metre); ok {
		p := part{half: plane{long / 2, w.drawCentimetres(60, 110)}, high: w.drawCentimetres(100, 190),
			look: blockLook(w.looks)}
		w.addParts(at, street+w.layout.IntBetween(-draw.Turn/20, draw.Turn/20), -1, p)
	}
}

func (w *world) addWall(street int) {
	long := w.drawCentimetres(250, 600)
	if at, ok := w.findPlace(long/2, 5*metre); ok {
		p := part{half: plane{long / 2, w.drawCentimetres(10, 30)}, high: w.drawCentimetres(120, 320),
			look: wallLook(w.looks)}
		w.addParts(at, street+w.layout.IntBelow(2)*draw.Turn/4, -1, p)
	}
}

// addSign adds a board on a post.
func (w *world) addSign() {
	o := object{name: "Sign", length: w.drawCentimetres(8, 12), width: w.drawCentimetres(60, 90),
		height: w.drawCentimetres(200, 260),
		angle:  w.layout.IntBelow(draw.Turn)}
	at, ok := w.findPlace(o.width*3/4, 3*metre)
	if !ok {
		return
	}
	o.at = at
	w.addParts(at, o.angle, len(w.objects),
		part{half: plane{metre / 20, metre / 20}, high: o.height - metre*7/10, round: true, look: poleLook(w.looks)},
		part{half: plane{o.length / 2, o.width / 2}, low: o.height - metre*7/10, high: o.height, look: signLook(w.looks)},
	)
	w.objects = append(w.objects, o)
}

// Minimum visible points and pixels of an object that counts.
const (
	minPoints = 6
	minPixels = 10
)

// annotation returns the object in the frame of camera 0, with x to the right, y down and z ahead. The rotation is 0 if
// the length is along x, and grows around y.
func (o object) annotation(seen visiblePart) waymo.FrameObject {
	angle := ((-o.angle-draw.Turn/4)%draw.Turn + draw.Turn) % draw.Turn
	if angle >= draw.Turn/2 {
		angle -= draw.Turn
	}
	difficulty := 2
	if seen.points >= minPoints && seen.pixels >= minPixels {
		difficulty = 0
	}
	a := waymo.FrameObject{
		Name:       o.name,
		Location:   [3]float32{metres(-o.at.y), metres(cameraHeight), metres(o.at.x - cameraAhead)},
		Dimensions: [3]float32{metres(o.length), metres(o.height), metres(o.width)},
		RotationY:  float32(float64(angle) * (2 * math.Pi / draw.Turn)),
		Difficulty: difficulty,
	}
	for k, v := range seen.box {
		a.Box[k] = float32(v)
	}
	return a
}

func metres(v int) float32 { return float32(v) / metre }
