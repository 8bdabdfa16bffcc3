package volumes

import (
	"fmt"

	"github.com/plumbline-ml/plumbline/internal/draw"
)

// Sizes of the sets of heads.
const (
	HeadTrainCount       = 240
	HeadCalibrationCount = 12
	HeadEvalCount        = 24
)

// HeadChannels is the number of volumes of one head: T1, T1 with contrast agent, T2, FLAIR.
const HeadChannels = 4

// Classes of a head's voxels, equal to those of BraTS after conversion.
const (
	Oedema       uint8 = 1
	NonEnhancing uint8 = 2
	Enhancing    uint8 = 3
)

// HeadSet is a set of labelled heads with four channels, like magnetic resonance images after removal of the skull.
type HeadSet struct{ draw.SampleSet }

// HeadTrain returns the set that the embedded model is trained on.
func HeadTrain() HeadSet { return HeadSet{draw.NewSampleSet(0x706c756d_00000401, HeadTrainCount)} }

// HeadCalibration returns the set that the embedded model is quantised with.
func HeadCalibration() HeadSet {
	return HeadSet{draw.NewSampleSet(0x706c756d_00000402, HeadCalibrationCount)}
}

// HeadEval returns the set that accuracy is measured on.
func HeadEval() HeadSet { return HeadSet{draw.NewSampleSet(0x706c756d_00000403, HeadEvalCount)} }

// Name returns the name of head i: "HGG__Plumbline_017", or "LGG__..." for every sixth head, which has no enhancing
// part.
func (s HeadSet) Name(i int) string {
	if lowGrade(i) {
		return fmt.Sprintf("LGG__Plumbline_%03d", i)
	}
	return fmt.Sprintf("HGG__Plumbline_%03d", i)
}

func lowGrade(i int) bool { return i%6 == 5 }

// Head is a drawn head. Its axes are those of a Volume; voxels have one millimetre.
type Head struct {
	Shape    [3]int
	Channels [HeadChannels][]float32 // whole, in C order: 0 outside of the brain and in hollows, otherwise 1 to 3071
	Labels   []uint8                 // classes, in the same order
}

// Draw draws head i: 36 to 40 voxels per side, with a brain of up to 32. The caller owns it.
func (s HeadSet) Draw(i int) *Head {
	return drawHead(draw.NewRandom(s.Seed, uint64(i)), !lowGrade(i))
}

// Size returns the shape of head i without drawing it.
func (s HeadSet) Size(i int) [3]int { return headShape(draw.NewRandom(s.Seed, uint64(i))) }

func headShape(r *draw.Random) [3]int {
	return [3]int{r.IntBetween(36, 40), r.IntBetween(36, 40), r.IntBetween(36, 40)}
}

// shades are the values of a part of a head in each channel.
type shades [HeadChannels]int

// The shades of a head's parts. Each border of a lesion is visible only in some channels: the outer border in T2 and
// FLAIR, the core's in T1, the enhancing part's in T1 with contrast agent. In each single channel, bright or dark spots
// that do not belong to a lesion look the same.
func brainShades() shades     { return shades{600, 600, 500, 500} }
func oedemaShades() shades    { return shades{600, 600, 680, 680} }
func coreShades() shades      { return shades{440, 600, 680, 680} }
func enhancingShades() shades { return shades{440, 820, 680, 680} }

func spotShades() []shades {
	return []shades{
		{600, 600, 500, 680}, // bright only in FLAIR
		{600, 600, 680, 500}, // bright only in T2
		{440, 600, 500, 500}, // dark only in T1
		{600, 820, 500, 500}, // a vessel: it contains contrast agent but is not a lesion
	}
}

// Labels of a head while it is drawn.
const (
	brain  uint8 = 254
	hollow uint8 = 255
)

// anatomy collects the bodies of a head, outside to inside, with their shades.
type anatomy struct {
	phantom
	looks []shades
}

func (a *anatomy) paint(b body, look shades, label uint8) {
	b.tissue = tissue{grain: 60, label: label, named: true}
	a.addBody(b)
	a.looks = append(a.looks, look)
}

// drawHead builds a head and renders its channels.
func drawHead(r *draw.Random, enhancing bool) *Head {
	h := &Head{Shape: headShape(r)}
	var extent point
	for k := range extent {
		extent[k] = h.Shape[k] * mm
	}
	a := &anatomy{phantom: phantom{r: r, extent: extent}}
	whole := a.addBrain()
	for range r.IntBetween(4, 8) {
		a.addSpot(whole)
	}
	a.addLesion(whole, enhancing)
	rough := newTexture(r, 5*mm, extent, mm)
	for c := range h.Channels {
		values, labels := a.render(c, h.Shape, rough)
		for k, label := range labels {
			switch label {
			case 0, hollow:
				values[k] = 0
			default:
				values[k] = max(values[k], 1)
			}
			if label >= brain {
				labels[k] = 0
			}
		}
		h.Channels[c], h.Labels = values, labels
	}
	return h
}

// render scans one channel, with its own gain, grain and noise.
func (a *anatomy) render(channel int, shape [3]int, rough *texture) ([]float32, []uint8) {
	gain := a.r.IntBetween(70, 140)
	for i, b := range a.bodies {
		b.hu = a.looks[i][channel] * gain / 100
	}
	s := &scan{
		bodies: a.bodies, spacing: point{mm, mm, mm}, shape: shape, edge: mm, noise: a.r.IntBetween(110, 190) * gain / 100,
		rough: rough, grain: newTexture(a.r, 3*mm, a.extent, mm), random: a.r,
	}
	v := s.sample()
	return v.Values, v.Labels
}

// addBrain adds the brain and, in half of the heads, an empty hollow that later bodies may cover. It returns the brain.
func (a *anatomy) addBrain() body {
	b := body{at: a.placeAt(50, 50, 50, 2), axes: rotatedAxes(a.drawAngle(4), a.drawAngle(4)), rough: 40,
		radius: point{a.drawTenths(130, 157), a.drawTenths(130, 157), a.drawTenths(130, 157)}}
	a.paint(b, brainShades(), brain)
	if a.r.Chance(50) {
		a.paint(body{at: a.drawPointInside(b, 350), axes: rotatedAxes(a.drawAngle(50), a.drawAngle(25)), rough: 100,
			radius: point{a.drawTenths(15, 25), a.drawTenths(15, 25), a.drawTenths(15, 25)}}, shades{}, hollow)
	}
	return b
}

// drawTenths draws a length of lo to hi tenths of a millimetre.
func (a *anatomy) drawTenths(lo, hi int) int { return a.r.IntBetween(lo*mm, hi*mm) / 10 }

// drawPointInside draws a point of a body within most of its middle along each axis, in 1/surface of the radius.
func (a *anatomy) drawPointInside(b body, most int) point {
	return b.toWorld(point{a.r.IntBetween(-most, most), a.r.IntBetween(-most, most), a.r.IntBetween(-most, most)})
}

// addSpot adds a spot that resembles a lesion.
func (a *anatomy) addSpot(whole body) {
	looks := spotShades()
	a.paint(body{at: a.drawPointInside(whole, 500), axes: rotatedAxes(a.drawAngle(50), a.drawAngle(25)), rough: 150,
		radius: point{a.drawTenths(25, 65), a.drawTenths(25, 65), a.drawTenths(25, 65)}}, looks[a.r.IntBelow(len(looks))],
		brain)
}

// addLesion adds three nested bodies: oedema, the core, and optionally the enhancing part.
func (a *anatomy) addLesion(whole body, enhancing bool) {
	axes := rotatedAxes(a.drawAngle(50), a.drawAngle(25))
	outer := body{at: a.drawPointInside(whole, 250), axes: axes, rough: 200,
		radius: point{a.drawTenths(70, 105), a.drawTenths(70, 105), a.drawTenths(70, 105)}}
	a.paint(outer, oedemaShades(), Oedema)
	core := a.drawBodyInside(outer, 180, 60, 76)
	a.paint(core, coreShades(), NonEnhancing)
	if enhancing {
		a.paint(a.drawBodyInside(core, 200, 58, 80), enhancingShades(), Enhancing)
	}
}

// drawBodyInside draws a smaller body inside another one, with lo to hi percent of its size.
func (a *anatomy) drawBodyInside(b body, off, lo, hi int) body {
	inner := b
	inner.at = a.drawPointInside(b, off)
	for k := range inner.radius {
		inner.radius[k] = b.radius[k] * a.r.IntBetween(lo, hi) / 100
	}
	return inner
}
